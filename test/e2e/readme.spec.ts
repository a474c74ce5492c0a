import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as common from '@nestjs/common';
import * as validator from 'class-validator';
import { Job, JobsModule } from 'nestjs-jobs';
import * as library from 'nestjs-jobs';
import { startApp } from '../support/app.js';
import { errorsOf, optionsOf } from '../support/readme-options.js';
import type { Stage } from '../support/readme-stage.js';
import {
  publicNames,
  readme,
  sectionsOf,
  snippetsOf,
  sourceOf,
  statedResults,
  type Imports,
  type Snippet,
} from '../support/readme.js';

type Class = new (...args: never[]) => object;
type Exports = Record<string, unknown> & { statements?: (stage: Stage) => Promise<void> };

const snippets = snippetsOf(readme);
// Interfaces leave no trace at run time, so that those of Nest which the README uses are named here.
const nestTypes = `ArgumentsHost CallHandler ExceptionFilter ExecutionContext NestInterceptor PipeTransform`;
const imports: Imports = new Map([
  ['class-validator', { values: new Set(Object.keys(validator)), types: new Set<string>() }],
  ['@nestjs/common', { values: new Set(Object.keys(common)), types: new Set(nestTypes.split(' ')) }],
  ['nestjs-jobs', publicNames()],
]);

let folder: string;

beforeAll(async () => {
  // The first snippet reads it.
  delete process.env.JOBS_URL;
  await mkdir('.tmp', { recursive: true });
  folder = await mkdtemp(join(process.cwd(), '.tmp', 'readme-'));
  for (const [index, snippet] of snippets.entries())
    await writeFile(
      join(folder, `${snippet.name}.ts`),
      sourceOf(
        snippet,
        snippets.slice(0, index).filter(({ isModule }) => isModule),
        imports,
      ),
    );
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ['*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const load = async ({ name }: Snippet): Promise<Exports> =>
  (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as Exports;

describe('the snippets of the README', () => {
  test('are found', () => {
    expect(snippets.length).toBeGreaterThan(20);
    expect(snippets.reduce((sum, snippet) => sum + statedResults(snippet), 0)).toBeGreaterThan(15);
  });

  test('compile', async () => {
    const compiler = ['node_modules/typescript/bin/tsc', '-p', folder];
    const complaints = await promisify(execFile)(process.execPath, compiler).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
    expect(complaints).toBe('');
  }, 30_000);

  const modules = snippets.filter(({ isModule }) => isModule);
  test.each(modules)('work in an application: $name, $heading', async (snippet) => {
    const exported = classesOf(await load(snippet));
    const roots = exported.filter(isNestModule).filter(({ name }) => name.endsWith('AppModule'));
    for (const root of roots) expect((await startApp({ options: false, imports: [root] })).app).toBeDefined();
    if (roots.length === 0) await startApp({ providers: await providersUpTo(snippet) });
  });

  test.each(snippets.filter(({ isModule }) => !isModule))(
    'do what they state: $name, $heading',
    async (snippet) => {
      const providers = await providersUpTo(snippet);
      const { jobs, catalog, runner, advance, lines } = await startApp({ providers });
      const stated = statedResults(snippet);
      const { statements } = await load(snippet);
      expect.assertions(stated + 1);
      await statements!({ jobs, catalog, runner });
      // What was enqueued runs, too; nothing in the README is there to die.
      await advance(2 * 3_600_000);
      expect(lines.filter(({ level }) => level !== 'log')).toEqual([]);
    },
  );

  /** The providers that the README has declared so far. */
  async function providersUpTo(last: Snippet): Promise<Class[]> {
    const providers: Class[] = [];
    for (const snippet of snippets.slice(0, snippets.indexOf(last) + 1))
      if (snippet.isModule) providers.push(...classesOf(await load(snippet)).filter(isProvider));
    return providers;
  }
});

describe('what the README says about behaviour', () => {
  test('the first job runs five minutes after the request, with the lines shown', async () => {
    const { AppModule, UsersController } = (await load(snippets[0]!)) as Record<string, Class>;
    const { app, lines, advance } = await startApp({ options: false, imports: [AppModule!] });
    const users = app.get(UsersController!) as { create(dto: { email: string }): Promise<void> };
    await users.create({ email: 'ada@example.com' });
    await advance(299_999);
    const said = () => lines.filter(({ context }) => context === 'SendWelcome');
    expect(said()).toEqual([]);
    await advance(1);
    const withoutId = (line: string) => line.replace(/task \S+/, 'task');
    const shown = /^Five minutes after.*\n\n```text\n([^`]*)```/m.exec(readme)![1]!;
    expect(said().map(({ context, message }) => withoutId(`[${context}] ${message}`))).toEqual(
      shown.trim().split('\n').map(withoutId),
    );
  });

  const paramsByJob: [job: string, params: unknown, says: string][] = [
    [
      'SendInvoice',
      { customer: 'ada', items: [{ sku: 'A-1' }], dueOn: new Date('2031-01-01'), cents: 12n },
      'ada: 1 × A-1, 12 by 2031',
    ],
    ['Remind', { to: 'ada@example.com', on: '2031-02-01' }, 'ada@example.com, 2031: -'],
    ['ShipOrder', { order: 7 }, 'shipped: parcel of order 7'],
    ['PullPrices', { shop: '' }, '(attempt 1 of 7): TaskFailedError: there is no such shop; it is dead'],
    ['AwaitPayment', { paid: false }, 'snoozed for 10 min'],
    ['AwaitPayment', { paid: true }, 'paid'],
    ['ImportPage', { file: 'prices', page: 1 }, 'prices, page 3'],
    ['Greet', { name: ' Ada ' }, 'Hello Ada!'],
    ['Greet', { name: 'Ada' }, 'took '],
    ['Audit', undefined, 'succeeded in'],
  ];
  test.each(paramsByJob)('%s with %p does what its snippet says', async (job, params, says) => {
    const declared = await Promise.all(snippets.filter(({ isModule }) => isModule).map(load));
    const classes = declared.flatMap(classesOf).filter(isProvider);
    const { jobs, lines, advance } = await startApp({ providers: classes });
    const target = classes.find(({ name }) => name === job);
    await jobs.enqueue(target as never, params as never);
    await advance(0);
    const said = lines.filter(({ context }) => context === job).map(({ message }) => message);
    expect(said).toContainEqual(expect.stringContaining(says));
  });

  test('the timeline of a task that always fails', async () => {
    const startedAt: number[] = [];
    @Job()
    class Fails {
      run(_params: void, task: library.Task) {
        startedAt.push(task.dueAt.getTime());
        throw new Error('as always');
      }
    }
    const { jobs, catalog, advance } = await startApp({ providers: [Fails] });
    const { id } = await jobs.enqueue(Fails);
    await advance(60_000);
    expect((await catalog.task(id))?.state).toBe('dead');
    const told = [...readme.matchAll(/^(\d\d):(\d\d) {2}attempt \d/gm)].map(
      ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
    );
    expect(startedAt.map((at) => (at - startedAt[0]!) / 1_000)).toEqual(told);
  });

  test('jobs of lazily loaded modules are not discovered', async () => {
    @Job()
    class Late {
      run() {}
    }
    @common.Module({ providers: [Late] })
    class LazyModule {}
    const { LazyModuleLoader } = await import('@nestjs/core');
    const { app, jobs } = await startApp({});
    await app.get(LazyModuleLoader).load(() => LazyModule);
    await expect(jobs.enqueue(Late)).rejects.toThrow(library.JobNotProvidedError);
  });
});

describe('the README keeps up with the code', () => {
  const sections = sectionsOf(readme);
  /** The rows of the tables under a heading, by their first cell. */
  const rowsOf = (heading: string): Map<string, string> => {
    const section = sections.find((candidate) => candidate.heading === heading);
    const rows = section!.text.split('\n').filter((line) => line.startsWith('| `'));
    return new Map(rows.map((row) => [/^\| `(\w+)/.exec(row)![1]!, row]));
  };

  test.each([
    ['Module options', 'lib/jobs.options.ts', 'JobsOptions'],
    ['Module options', 'lib/jobs.options.ts', 'RetentionOptions'],
    ['Runner', 'lib/jobs.options.ts', 'RunnerOptions'],
    ['Declaring a job', 'lib/job/job-options.ts', 'JobOptions'],
    ['Enqueueing', 'lib/task/enqueue-options.ts', 'EnqueueDefaults'],
    ['Enqueueing', 'lib/task/enqueue-options.ts', 'EnqueueOptions'],
  ])('%s has every option of %s, %s, with its default', (heading, file, name) => {
    const rows = rowsOf(heading);
    const options = optionsOf(file, name);
    expect(options.length).toBeGreaterThan(0);
    expect(options.map((option) => option.name).filter((option) => !rows.has(option))).toEqual([]);
    for (const { name: option, literalDefault } of options)
      if (literalDefault !== undefined) expect(rows.get(option)).toContain(`\`${literalDefault}\``);
  });

  test('Errors has every error class with its code', () => {
    const files = [
      'lib/task/errors.ts',
      'lib/job/errors.ts',
      'lib/queue/errors.ts',
      'lib/jobs-root.ts',
      'lib/backend/errors.ts',
    ];
    const declared = files.flatMap(errorsOf);
    const exported = Object.keys(library).filter((name) => name.endsWith('Error') && name !== 'JobsError');
    expect(declared.map(({ name }) => name).sort()).toEqual(exported.sort());
    const rows = rowsOf('Errors');
    for (const { name, codes } of declared)
      for (const code of codes) expect(rows.get(name)).toContain(`\`${code}\``);
  });

  test('JobCatalog and The task have every public method', () => {
    const text = (heading: string) => sections.find((section) => section.heading === heading)!.text;
    const missing = (type: Class, heading: string, inside: string[]) =>
      Object.getOwnPropertyNames(type.prototype).filter(
        (name) => name !== 'constructor' && !inside.includes(name) && !text(heading).includes(`\`${name}`),
      );
    expect(missing(library.JobCatalog, 'JobCatalog', ['act'])).toEqual([]);
    expect(missing(library.Task, 'The task', ['verdict', 'abort', 'end'])).toEqual([]);
  });

  test('every exported class and function is mentioned', () => {
    const silent = [...publicNames().values].filter((name) => !new RegExp(`\\b${name}\\b`).test(readme));
    expect(silent).toEqual([]);
  });

  test('every file it points to exists', async () => {
    const { access } = await import('node:fs/promises');
    const linked = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!);
    const named = [...readme.matchAll(/`((?:queue|job|task|runner|catalog|backend)\/[\w/-]+\.ts)`/g)];
    expect(linked.length * named.length).toBeGreaterThan(0);
    for (const path of [...linked, ...named.map(([, path]) => `lib/${path}`)]) await access(path);
  });

  test('every heading it links to exists', () => {
    const anchors = sections.map(({ heading }) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replace(/ /g, '-'),
    );
    const linked = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(linked.filter((anchor) => !anchors.includes(anchor!))).toEqual([]);
  });
});

function classesOf(exported: Exports): Class[] {
  return Object.values(exported).filter(
    (value): value is Class => typeof value === 'function' && /^class\b/.test(String(value)),
  );
}

function isNestModule(type: Class): boolean {
  return ['imports', 'providers', 'exports'].some((key) => Reflect.hasMetadata(key, type));
}

function isProvider(type: Class): boolean {
  return Reflect.hasMetadata('__injectable__', type) && !isNestModule(type) && type !== JobsModule;
}
