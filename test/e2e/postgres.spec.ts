import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, symlink, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Backend } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { quoted } from '../../lib/backend/postgres/sql-connection.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { settings } from '../backend/conformance/setup.js';
import { eventually, startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_POSTGRES_URL!;
let admin: pg.Pool;
beforeAll(() => {
  admin = new pg.Pool({ connectionString: url, max: 2 });
});
afterAll(() => admin.end());

/** Only the bell wakes a runner. */
const noSweep = { pollInterval: '10m' } as const;

/** The address with another part. */
function urlWith(change: (address: URL) => void): string {
  const address = new URL(url);
  change(address);
  return address.href;
}

async function tablesOf(schema: string): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** What the connections of an application do. */
async function activityOf(prefix: string): Promise<string[]> {
  const { rows } = await admin.query<{ query: string }>(
    'SELECT query FROM pg_stat_activity WHERE application_name = $1',
    [prefix],
  );
  return rows.map(({ query }) => query);
}

describe('An application on PostgreSQL', () => {
  it('runs what another application has enqueued that only enqueues, told by its bell', async () => {
    const prefix = newPrefix();
    const { Counting, runs, queue } = counting();
    const options = { backend: url, prefix, runner: noSweep };
    const worker = await startApp({ providers: [Counting], options, realTime: true });
    const web = await startApp({ options: { ...options, runner: false }, realTime: true });
    await web.jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    await web.jobs.enqueue(Counting, 2, { in: '100ms' });
    await eventually(() => runs.length === 2);
    await eventually(() => isDone(worker.catalog, queue));
    expect(runs).toEqual([1, 2]);
  });

  it('takes a pool of the application, and leaves it open', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    try {
      const { Counting, runs } = counting();
      const { app, jobs } = await startApp({
        providers: [Counting],
        options: { backend: postgresBackend({ pool }), prefix: newPrefix(), runner: noSweep },
        realTime: true,
      });
      await jobs.enqueue(Counting, 1);
      await eventually(() => runs.length === 1);
      await app.close();
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      expect(pool.totalCount - pool.idleCount).toBe(0);
    } finally {
      await pool.end();
    }
  });

  it('without notifications finds work by its sweep, and does not listen', async () => {
    const prefix = newPrefix();
    const { Counting, runs } = counting();
    const options = { backend: postgresBackend({ url, notify: false }), prefix };
    await startApp({
      providers: [Counting],
      options: { ...options, runner: { pollInterval: '100ms' } },
      realTime: true,
    });
    const web = await startApp({
      options: { ...options, backend: postgresBackend({ url, notify: false }), runner: false },
      realTime: true,
    });
    await web.jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    const activity = await activityOf(prefix);
    expect(activity.length).toBeGreaterThan(0);
    expect(activity.filter((query) => /listen|pg_notify/i.test(query))).toEqual([]);
  });

  it('may have capitals and hyphens in its prefix', async () => {
    const prefix = `Shop-Jobs-${randomUUID().slice(0, 8)}`;
    const { Counting, runs } = counting();
    const options = { backend: url, prefix, runner: noSweep };
    await startApp({ providers: [Counting], options, realTime: true });
    const web = await startApp({ options: { ...options, runner: false }, realTime: true });
    await web.jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    expect(await tablesOf(prefix)).toContain('tasks');
  });

  it('leaves no connection behind when it closes', async () => {
    const prefix = newPrefix();
    const { Counting } = counting();
    const { app } = await startApp({
      providers: [Counting],
      options: { backend: url, prefix },
      realTime: true,
    });
    await eventually(async () => (await activityOf(prefix)).length > 1);
    await app.close();
    await eventually(async () => (await activityOf(prefix)).length === 0);
    await eventually(async () => (await activityOf(`${prefix}:leases`)).length === 0);
  });
});

describe('The boot on PostgreSQL', () => {
  const secret = 'hunter2-and-more';

  async function refusal(backend: string): Promise<unknown> {
    const options = { backend, prefix: newPrefix() };
    const { app, lines } = await startApp({ options, realTime: true, init: false });
    const error: unknown = await app.init().catch((error: unknown) => error);
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify([error, lines]);
    expect(shown).not.toContain(secret);
    return error;
  }

  it('stops where the server refuses the user, and shows no password', async () => {
    const role = `r${randomUUID().slice(0, 8)}`;
    const nobody = urlWith((address) => {
      address.username = role;
      address.password = secret;
    });
    expect(await refusal(nobody)).toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/^postgres at 127\.0\.0\.1:\d+\/\w+ cannot be used: .*does not exist/),
    });
  });

  it('stops where the server cannot be reached, and says so', async () => {
    expect(await refusal(`postgres://someone:${secret}@127.0.0.1:1/app`)).toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/^postgres at 127\.0\.0\.1:1\/app .*ECONNREFUSED/),
    });
  });

  it('stops where the database does not exist, and names it', async () => {
    expect(await refusal(urlWith((address) => (address.pathname = '/nowhere')))).toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/cannot be used: database "nowhere" does not exist/),
    });
  });

  it('stops where the database cannot hold every text', async () => {
    const name = `ascii_${randomUUID().slice(0, 8)}`;
    await admin.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0`);
    try {
      expect(await refusal(urlWith((address) => (address.pathname = `/${name}`)))).toMatchObject({
        code: 'UNUSABLE_STORE',
        message: expect.stringContaining('its encoding is SQL_ASCII'),
      });
    } finally {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('makes the schema once, though eight begin at the same time, and all of them work', async () => {
    const prefix = newPrefix();
    const jobs = Array.from({ length: 8 }, () => counting());
    const apps = await Promise.all(
      jobs.map(({ Counting }) =>
        startApp({
          providers: [Counting],
          options: { backend: url, prefix, runner: noSweep },
          realTime: true,
        }),
      ),
    );
    await Promise.all(apps.map(({ jobs: queue }, at) => queue.enqueue(jobs[at]!.Counting, at)));
    await eventually(() => jobs.every(({ runs }) => runs.length === 1));
    const { rows } = await admin.query(`SELECT version FROM "${prefix}".migrations ORDER BY 1`);
    expect(rows.map(({ version }: { version: number }) => version)).toEqual(rows.map((_, at) => at + 1));
  });
});

describe('A schema that the application makes itself', () => {
  let own: Awaited<ReturnType<typeof makeOwnBuild>>;
  beforeAll(async () => {
    own = await makeOwnBuild();
  }, 120_000);
  afterAll(() => own.remove());

  async function printed(...args: string[]): Promise<string> {
    const program = join(own.directory, 'cli/main.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'sql', ...args], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return stdout;
  }

  /** The backend itself: the module's option `prefix` allows fewer characters. */
  async function opened(schema: string): Promise<Backend> {
    const backend = postgresBackend({ url, migrate: false });
    await backend.open({ ...settings, prefix: schema });
    return backend;
  }

  it.each(['plain', `We"ird $$ Jo'bs`])(
    'named %s is asked for, made and taken away by what is printed',
    async (name) => {
      const schema = `${name}-${randomUUID().slice(0, 8)}`;
      const word = name === 'plain' ? schema : `'${schema.replaceAll("'", "'\\''")}'`;
      await expect(opened(schema)).rejects.toMatchObject({
        code: 'UNUSABLE_STORE',
        message: expect.stringContaining(`npx nestjs-jobs sql --schema ${word}\` prints`),
      });
      expect(await tablesOf(schema)).toEqual([]);
      const named = quoted(schema);
      await admin.query(`CREATE SCHEMA ${named}; CREATE TABLE ${named}.theirs (n int)`);
      await admin.query(await printed('--schema', schema));
      const [backend, other] = [await opened(schema), await opened(schema)];
      const heard: string[] = [];
      await other.bell.listen(['q'], (queue) => void heard.push(queue));
      const plain = { queue: 'q', id: 'a', token: 'a', job: 'Some', params: 'null' };
      const task: NewTask = { ...plain, priority: 0, due: { inMs: 0 }, retries: 0 };
      expect(await backend.tasks.add([[task]])).toEqual([[{ status: 'enqueued' }]]);
      await eventually(() => heard.length > 0);
      expect((await other.catalog.counts('q')).waiting).toBe(1);
      for (const one of [backend, other]) await one.close();
      await admin.query(await printed('--schema', schema, '--down'));
      expect(await tablesOf(schema)).toEqual(['theirs']);
      const left = `SELECT proname FROM pg_proc WHERE pronamespace = $1::regnamespace
      UNION ALL SELECT typname FROM pg_type WHERE typnamespace = $1::regnamespace AND typname NOT LIKE '%theirs'`;
      expect((await admin.query(left, [named])).rows).toEqual([]);
    },
  );
});

describe('A backend whose package is not installed', () => {
  let folder: string;
  beforeAll(async () => {
    const own = await makeOwnBuild();
    folder = await mkdtemp(join(tmpdir(), 'nestjs-jobs-bare-'));
    await cp(own.directory, join(folder, 'build'), { recursive: true });
    await own.remove();
    await mkdir(join(folder, 'node_modules'));
    const root = join(process.cwd(), 'node_modules');
    const without = ['pg', '@electric-sql', '.cache', '.bin'];
    for (const name of await readdir(root))
      if (!without.includes(name)) await symlink(join(root, name), join(folder, 'node_modules', name));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['postgres://someone@127.0.0.1/app', 'npm install pg'],
    ['pglite:./data', 'npm install @electric-sql/pglite'],
  ])('is refused for %s with what to run', async (backend, command) => {
    const script = `
      import 'reflect-metadata';
      import { resolveBackend } from ${JSON.stringify(join(folder, 'build/backend/resolve-backend.js'))};
      const settings = { prefix: 'jobs', deadKeepMs: 0, cancelledKeepMs: 0, enqueueTimeoutMs: 1000 };
      await resolveBackend(${JSON.stringify(backend)}).open(settings).catch(({ code, message }) => console.log(code, message));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', NODE_PATH: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (data) => (said += String(data)));
    await new Promise((resolve) => child.once('close', resolve));
    expect(said).toMatch(/^UNUSABLE_STORE /);
    expect(said).toContain(`run \`${command}\``);
  });
});
