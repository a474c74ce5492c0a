import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as common from '@nestjs/common';
import * as validator from 'class-validator';
import { Job, JobsModule } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import type { Pool } from 'pg';
import * as library from 'nestjs-jobs';
import { upSql } from '../../lib/backend/postgres/schema-sql.js';
import { eventually, startApp } from '../support/app.js';
import { adminOf } from '../support/own-redis.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import type { Stage } from '../support/readme-stage.js';
import {
  publicNames,
  readme,
  rowsOf,
  snippetsOf,
  sourceOf,
  sqlOf,
  statedResults,
  type Imports,
  type Snippet,
} from '../support/readme.js';

type Class = new (...args: never[]) => object;
type Exports = Record<string, unknown> & { statements?: (stage: Stage) => Promise<void> };

const snippets = snippetsOf(readme);
// Interfaces leave no trace at run time, so that those of Nest which the README uses are named here.
const nestTypes = `ArgumentsHost CallHandler CanActivate ExceptionFilter ExecutionContext NestInterceptor PipeTransform`;
const imports: Imports = new Map([
  ['class-validator', { values: new Set(Object.keys(validator)), types: new Set<string>() }],
  ['@nestjs/common', { values: new Set(Object.keys(common)), types: new Set(nestTypes.split(' ')) }],
  ['nestjs-jobs', publicNames()],
]);

let folder: string;
let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
  // Snippets read these.
  delete process.env.JOBS_URL;
  process.env.REDIS_URL = process.env.TEST_REDIS_URL;
  process.env.DATABASE_URL = database.url;
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

afterAll(async () => {
  await ((await load(declaring('pool'))).pool as Pool).end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const declaring = (name: string): Snippet => snippets.find(({ exports }) => exports.includes(name))!;

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
      const { app, jobs, catalog, runner, advance, lines } = await startApp({ providers });
      const stated = statedResults(snippet);
      const { statements } = await load(snippet);
      expect.assertions(stated + 1);
      await statements!({ jobs, catalog, runner, health: app.get(library.JobsHealth) });
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
    ['Charge', { user: 'ada' }, '100 cents from ada'],
    ['SyncAccount', { account: 7, reason: 'a payment' }, '7, because of a payment'],
    ['ShipOrder', { order: 7 }, 'shipped: parcel of order 7'],
    ['PullPrices', { shop: '' }, '(attempt 1 of 7): TaskFailedError: there is no such shop; it is dead'],
    ['AwaitPayment', { paid: false }, 'snoozed for 10 min'],
    ['AwaitPayment', { paid: true }, 'paid'],
    ['ImportPage', { file: 'prices', page: 1 }, 'prices, page 3'],
    ['Greet', { name: ' Ada ' }, 'Hello Ada!'],
    ['Greet', { name: 'Ada' }, 'took '],
    ['Audit', undefined, 'succeeded in'],
    ['BuildReport', undefined, 'for nobody'],
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

  test('the application on Redis runs its tasks, tells the durability, and has the keys of the table', async () => {
    const redis = adminOf(process.env.TEST_REDIS_URL!);
    const keys = () => redis.keys('shop:*');
    const snippet = snippets.find(({ exports }) => exports.includes('ShopAppModule'))!;
    const { ShopAppModule, store } = (await load(snippet)) as {
      ShopAppModule: Class;
      store: library.Backend;
    };
    const { SendWelcome } = (await load(snippets[0]!)) as {
      SendWelcome: new () => library.JobHandler<{ to: string }>;
    };
    try {
      const { jobs, lines, catalog } = await startApp({
        options: false,
        imports: [ShopAppModule],
        realTime: true,
      });
      const said = () => lines.map(({ message }) => message);
      expect(said()).toContainEqual(expect.stringContaining(`durability ${store.durability}`));
      await jobs.enqueue(SendWelcome, { to: 'ada@example.com' });
      await eventually(() => said().includes('welcoming ada@example.com'));
      await jobs.enqueue(SendWelcome, { to: 'ada@example.com' }, { id: 'welcome-ada', in: '1h' });
      await jobs.enqueue(SendWelcome, { to: 'ada@example.com' }, { id: 'kept', keep: '1h' });
      await eventually(async () => (await catalog.counts('mail')).succeeded === 1);
      const listed = [...rowsOf('Keys').keys()];
      const ofAll = ['shop:queues', 'shop:runners', 'shop:{shop:runners}:ends'];
      for (const key of ofAll) expect(readme).toContain(`\`${key.replaceAll('shop', 'jobs')}\``);
      await eventually(async () => (await keys()).includes('shop:runners'));
      const ofQueues = (await keys()).filter((key) => !ofAll.includes(key));
      const parts = ofQueues.map((key) => /^shop:\{mail\}:(\w+)/.exec(key)![1]!);
      expect(parts).toEqual(expect.arrayContaining(['scheduled', 'kept', 'tasks', 'runs', 'calls']));
      expect(parts.filter((part) => !listed.includes(part))).toEqual([]);
      expect(await redis.hget('shop:{mail}:tasks', 'welcome-ada')).toContain('"to":"ada@example.com"');
    } finally {
      const left = await keys();
      if (left.length > 0) await redis.del(left);
    }
  });

  test('the snippets on PostgreSQL store rows and tasks together, and the statements for psql work', async () => {
    await database.query('CREATE TABLE users (email text UNIQUE)');
    await database.query(`CREATE TABLE orders (id integer PRIMARY KEY, state text)`);
    await database.query(`INSERT INTO orders VALUES (1, 'placed'), (2, 'placed')`);
    const declared = Object.assign(
      {},
      ...(await Promise.all(snippets.filter((one) => one.isModule).map(load))),
    );
    const { SendWelcome, MailerService, PruneSessions, PayOrder, RefundOrder, ShipOrder } = declared;
    const signUp = declared.signUp as (jobs: library.JobQueue, email: string) => Promise<void>;
    const { jobs, lines, catalog } = await startApp({
      options: { backend: postgresBackend({ url: database.url }) },
      providers: [SendWelcome, MailerService, PruneSessions, PayOrder, RefundOrder, ShipOrder],
      realTime: true,
    });
    const said = (text: string) => lines.filter(({ message }) => message.includes(text)).length;
    const stateOf = async (id: number) =>
      (await database.query(`SELECT state FROM orders WHERE id = ${id}`))[0]!.state;

    await signUp(jobs, 'ada@example.com');
    await expect(signUp(jobs, 'ada@example.com')).rejects.toThrow('duplicate key');
    await jobs.enqueue(PayOrder, { order: 1 });
    await jobs.enqueue(RefundOrder, { order: 2 });
    await eventually(() => said('shipped: parcel of order 1') === 1);
    await eventually(async () => (await stateOf(2)) === 'refunded');
    await eventually(() => said('welcoming ada@example.com') === 1);
    expect(await stateOf(1)).toBe('paid');
    await eventually(async () => (await catalog.counts('default')).pending === 0);

    await jobs.enqueue(SendWelcome, { to: 'grace@example.com' }, { queue: 'nobody' });
    for (const statement of sqlOf('Tables').slice(1)) await database.query(statement);
    expect(await database.query(sqlOf('Tables')[0]!)).toMatchObject([
      { queue: 'nobody', job: 'SendWelcome', tasks: '1', since: expect.any(Date) },
    ]);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('a user with the rights of the README can work in a schema of somebody else', async () => {
    await database.query(`BEGIN; ${upSql('of_others')} COMMIT;`);
    const role = await database.role();
    for (const statement of sqlOf('Rights of the user'))
      await database.query(statement.replace(/\bjobs\b/, 'of_others').replace(/\bapp$/, role.name));
    const ran: string[] = [];
    @Job()
    class Anything {
      async run(how: string, task: library.Task) {
        if (how === 'in a transaction') await task.transaction(() => ran.push(how));
        else ran.push(how);
      }
    }
    const { jobs, catalog, lines } = await startApp({
      options: { backend: postgresBackend({ url: role.url, migrate: false }), prefix: 'of_others' },
      providers: [Anything],
      realTime: true,
    });
    await jobs.enqueue(Anything, 'as usual');
    await jobs.enqueue(Anything, 'in a transaction');
    await jobs.enqueue(Anything, 'by a schedule', { every: '1h', id: 'hourly' });
    await jobs.enqueue(Anything, 'later', { in: '1h', id: 'later' });
    await eventually(() => ran.length === 3);
    expect(await catalog.cancel('later')).toBe('done');
    expect(await catalog.removeSchedule('hourly')).toBe('done');
    expect(lines.filter(({ level }) => level !== 'log')).toEqual([]);
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
