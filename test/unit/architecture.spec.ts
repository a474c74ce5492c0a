import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** What each part of `lib` may import beside itself. The first pattern that fits a file names its part. */
const parts: { name: string; files: RegExp; mayImport: string[] }[] = [
  { name: 'task', files: /^task\//, mayImport: [] },
  {
    name: 'contract',
    files:
      /^backend\/(backend|errors|answers|catalog-store|event-wire|held-lock|schedule-store|stats-store|transaction-store)\.ts$/,
    mayImport: ['task'],
  },
  { name: 'lease thread', files: /^backend\/lease-thread\//, mayImport: ['task', 'contract'] },
  { name: 'engine', files: /^backend\/[^/]+\//, mayImport: ['task', 'contract', 'lease thread'] },
  { name: 'backend by name', files: /^backend\//, mayImport: ['task', 'contract', 'engine'] },
  { name: 'job', files: /^job\//, mayImport: ['task'] },
  { name: 'queue', files: /^queue\//, mayImport: ['task', 'contract', 'job'] },
  { name: 'runner', files: /^runner\//, mayImport: ['task', 'contract', 'job'] },
  { name: 'catalog', files: /^catalog\//, mayImport: ['task', 'contract', 'job'] },
  { name: 'health', files: /^health\//, mayImport: ['task', 'contract', 'runner'] },
  { name: 'terminus', files: /^terminus\//, mayImport: ['health'] },
  { name: 'observe', files: /^observe\//, mayImport: ['task', 'contract', 'job', 'runner'] },
  {
    name: 'testing',
    files: /^testing\//,
    // It stands in for parts of the application's module, and so knows how they are wired.
    mayImport: ['task', 'contract', 'engine', 'job', 'queue', 'runner', 'catalog', 'observe', 'wiring'],
  },
  { name: 'command line', files: /^cli\//, mayImport: ['engine'] },
  { name: 'dashboard', files: /^dashboard\//, mayImport: ['task', 'catalog', 'health'] },
  {
    name: 'wiring',
    files: /^[^/]+$/,
    mayImport: [
      'task',
      'contract',
      'engine',
      'backend by name',
      'job',
      'queue',
      'runner',
      'catalog',
      'health',
      'observe',
    ],
  },
];

/** Package entries: the only index files. */
const entries = /^((testing|dashboard|terminus|backend\/redis|backend\/postgres)\/)?index\.ts$/;

const lineLimit = 250;
/** Files that are longer, each with its reason. */
const longFiles: Record<string, string> = {};

const lib = join(import.meta.dirname, '../../lib');
const sources = new Map(
  readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => [file.split(sep).join('/'), readFileSync(join(lib, file), 'utf8')]),
);
const files = [...sources.keys()];
const imports = new Map(files.map((file) => [file, importsOf(file)]));

describe('The files of lib', () => {
  it('each belong to a part', () => {
    expect(files.filter((file) => !partOf(file))).toEqual([]);
  });

  it('import only files that exist', () => {
    expect(edges().filter(([, to]) => !sources.has(to))).toEqual([]);
  });

  it('import in the directions of the design, types included', () => {
    const wrong = edges().filter(([from, to]) => {
      const [part, other] = [partOf(from), partOf(to)];
      return part && other && part !== other && !part.mayImport.includes(other.name);
    });
    expect(wrong.map((edge) => edge.join(' -> '))).toEqual([]);
  });

  it('let the dashboard know of tasks only how options are written and refused: the catalog tells the rest', () => {
    const words = ['task/check-keys.ts', 'task/duration.ts', 'task/errors.ts'];
    const used = edges().filter(([from, to]) => from.startsWith('dashboard/') && to.startsWith('task/'));
    expect(used.filter(([, to]) => !words.includes(to))).toEqual([]);
  });

  it('keep each engine to itself', () => {
    const engineOf = (file: string) =>
      partOf(file)?.name === 'engine' ? /^backend\/([^/]+)\//.exec(file)![1] : undefined;
    const crossing = edges().filter(
      ([from, to]) => engineOf(from) && engineOf(to) && engineOf(from) !== engineOf(to),
    );
    expect(crossing).toEqual([]);
  });

  it('import each other in no circle, types included', () => {
    expect(circles()).toEqual([]);
  });

  it('hold no index but the package entries', () => {
    expect(files.filter((file) => /(^|\/)index\.ts$/.test(file) && !entries.test(file))).toEqual([]);
  });

  it('name what they export one by one', () => {
    expect(files.filter((file) => /^\s*export\s+(type\s+)?\*/m.test(sources.get(file)!))).toEqual([]);
  });

  it(`stay within ${lineLimit} lines, unless a reason is given`, () => {
    const long = files.filter((file) => sources.get(file)!.trimEnd().split('\n').length > lineLimit);
    expect(long).toEqual(Object.keys(longFiles));
  });
});

function partOf(file: string) {
  return parts.find((part) => part.files.test(file));
}

function edges(): [from: string, to: string][] {
  return files.flatMap((from) => imports.get(from)!.map((to): [string, string] => [from, to]));
}

/** The files of lib that a file imports: by `import`, `export … from`, `import()` as a call or as a type. */
function importsOf(file: string): string[] {
  const found = sources.get(file)!.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g);
  return [...found].map(([, path]) =>
    normalize(join(dirname(file), path!.replace(/\.js$/, '.ts'))).replaceAll(sep, '/'),
  );
}

/** Every path of imports that comes back to where it began, found by walking down from each file. */
function circles(): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const next of imports.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  return found;
}
