import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { pageFiles } from '../../lib/dashboard/page/page-files.js';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'page/src');
const sources = new Map(
  filesIn(folder)
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
);

describe('The sources of the page', () => {
  it('give what the package holds, when they are built anew', () => {
    const built = mkdtempSync(join(root, '.tmp/page-'));
    try {
      execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', 'build', 'page', '--outDir', built], {
        cwd: root,
        stdio: 'pipe',
      });
      const fresh = Object.fromEntries(
        filesIn(built).map((file) => [file, readFileSync(join(built, file), 'utf8')]),
      );
      const held = Object.entries(pageFiles).map(([name, { gzip }]): [string, string] => [
        name,
        gunzipSync(Buffer.from(gzip, 'base64')).toString(),
      ]);
      expect(Object.keys(fresh).sort()).toEqual(held.map(([name]) => name).sort());
      expect(fresh).toEqual(Object.fromEntries(held));
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  });

  it('know of the library the API alone, and of other packages Preact and the charts', () => {
    const foreign = [...sources].flatMap(([file, source]) => {
      const named = [...source.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
        ([, name]) => name!,
      );
      return named.filter((name) => !isAllowed(file, name)).map((name) => `${file} -> ${name}`);
    });
    expect(foreign).toEqual([]);
    expect(sources.size).toBeGreaterThan(50);
  });

  it('make markup of no text, and leave no way to', () => {
    const ways =
      /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|createContextualFragment|srcdoc|target=/;
    expect([...sources].filter(([, source]) => ways.test(source)).map(([file]) => file)).toEqual([]);
  });

  it('stay within 250 lines', () => {
    const long = [...sources].filter(([, source]) => source.trimEnd().split('\n').length > 250);
    expect(long.map(([file]) => file)).toEqual([]);
  });
});

function isAllowed(file: string, name: string): boolean {
  if (!name.startsWith('.')) return ['preact', 'preact/hooks', 'uplot'].includes(name);
  const path = normalize(join(folder, dirname(file), name)).replace(/\.js$/, '.ts');
  if (path === join(root, 'lib/dashboard/api.ts')) return true;
  const own = path.startsWith(folder + sep)
    ? path
        .slice(folder.length + 1)
        .split(sep)
        .join('/')
    : '';
  return sources.has(own) || sources.has(`${own}x`);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
    .sort();
}
