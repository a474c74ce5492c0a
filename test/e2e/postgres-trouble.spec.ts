import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EnqueueFailedError, StoreUnavailableError, type Duration } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { ownPostgres } from '../support/own-postgres.js';
import type { OwnPostgres } from '../support/servers/postgres.mjs';
import { TcpProxy, type Silence } from '../support/tcp-proxy.js';
import { endlessLoad } from './fixtures/endless-load.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

let server: OwnPostgres;
let admin: pg.Pool;
beforeAll(async () => {
  server = await ownPostgres();
  admin = new pg.Pool({ connectionString: server.url, max: 2, application_name: 'admin' });
  admin.on('error', () => undefined);
}, 120_000);
afterAll(() => admin.end());

// Nothing that breaks may end in a promise that nobody hears.
const escaped: unknown[] = [];
const note = (error: unknown) => void escaped.push(error);
beforeEach(() => {
  escaped.length = 0;
  process.on('unhandledRejection', note).on('uncaughtException', note);
});
afterEach(() => {
  process.off('unhandledRejection', note).off('uncaughtException', note);
  expect(escaped).toEqual([]);
});

/** So rare that only the bell can wake a runner. */
const noSweep = '10m';

async function started(pollInterval: Duration = '500ms', url = server.url) {
  const { Counting, runs, queue } = counting();
  const prefix = newPrefix();
  const app = await startApp({
    providers: [Counting],
    options: {
      backend: postgresBackend({ url }),
      prefix,
      enqueueTimeout: '2s',
      runner: { lease: '2s', pollInterval },
    },
    realTime: true,
  });
  const listeners = async () => {
    const listening = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = $1 AND query LIKE ANY ($2)`;
    const patterns = ['LISTEN %', '%pg_notify%', 'SELECT 1'];
    return (await admin.query<{ n: number }>(listening, [prefix, patterns])).rows[0]!.n;
  };
  return { ...app, Counting, runs, queue, prefix, listeners };
}

/** Ends every connection but those of the test. */
async function terminateAll(): Promise<number> {
  const { rowCount } = await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND application_name <> 'admin'`,
  );
  return rowCount ?? 0;
}

/** Tasks run in the next second. */
async function paceOf(runs: readonly unknown[]): Promise<number> {
  const [from, at] = [runs.length, performance.now()];
  await eventually(() => performance.now() - at > 1_000);
  return runs.length - from;
}

/** Within ten seconds there is a second in which a third as many run as before: machines are shared. */
async function isBackAtSpeed(runs: readonly unknown[], perSecond: number): Promise<void> {
  await eventually(async () => (await paceOf(runs)) > perSecond / 3, 10_000);
}

/** Runs a task that another application enqueues, which only the bell can have told of. */
async function bellIsHeard({ Counting, runs, prefix }: Awaited<ReturnType<typeof started>>) {
  const web = await startApp({ options: { backend: server.url, prefix, runner: false }, realTime: true });
  const n = 1_000_000 + runs.length;
  await web.jobs.enqueue(Counting, n);
  await eventually(() => runs.includes(n));
  await web.app.close();
}

describe('An application whose connections to PostgreSQL are ended five times a second', () => {
  it('loses nothing acknowledged, and is back at full speed when that ends', async () => {
    const app = await started();
    const { jobs, catalog, Counting, runs, queue } = app;
    const load = endlessLoad((n) => jobs.enqueue(Counting, n));
    await eventually(() => runs.length > 100);
    const perSecond = await paceOf(runs);
    let ended = 0;
    for (let times = 0; times < 15; times++) {
      const at = performance.now();
      ended += await terminateAll();
      await eventually(() => performance.now() - at > 200);
    }
    expect(ended).toBeGreaterThan(30);
    await isBackAtSpeed(runs, perSecond);
    await load.stop();
    await eventually(() => isDone(catalog, queue));
    const ran = new Set(runs);
    expect(load.acknowledged.filter((n) => !ran.has(n))).toEqual([]);
    for (const error of load.refused) expect(error).toBeInstanceOf(EnqueueFailedError);
    expect(load.acknowledged.length + load.refused.length).toBe(load.asked());
  });

  it('hears its bell again each time', async () => {
    const app = await started(noSweep);
    for (let times = 0; times < 3; times++) {
      await terminateAll();
      await eventually(async () => (await app.listeners()) === 1);
      await bellIsHeard(app);
    }
  });
});

describe('A PostgreSQL server that goes down', () => {
  it.each(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const)(
    'by %s under load loses nothing acknowledged, and the application is back at full speed by itself',
    async (signal) => {
      const { jobs, catalog, Counting, runs, queue } = await started();
      const load = endlessLoad((n) => jobs.enqueue(Counting, n));
      await eventually(() => runs.length > 200);
      const perSecond = await paceOf(runs);
      await server.kill(signal);
      const told = load.refused.length;
      await eventually(() => load.refused.length > told);
      await server.restart();
      await isBackAtSpeed(runs, perSecond);
      await load.stop();
      await eventually(() => isDone(catalog, queue));
      const ran = new Set(runs);
      expect(load.acknowledged.filter((n) => !ran.has(n))).toEqual([]);
      for (const error of load.refused) expect(error).toBeInstanceOf(EnqueueFailedError);
      expect(load.acknowledged.length + load.refused.length).toBe(load.asked());
    },
  );

  it('lets an enqueue reject in time, knowing that nothing was sent, and the bell be heard afterwards', async () => {
    const app = await started(noSweep);
    await server.kill('SIGINT');
    const since = performance.now();
    const error = await app.jobs.enqueue(app.Counting, 1).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(EnqueueFailedError);
    expect(error).toMatchObject({ sent: false, cause: expect.any(StoreUnavailableError) });
    // The time is 2 s; slow machines get some more. It is tried until then, though nobody knows the queue yet.
    expect(performance.now() - since).toBeGreaterThan(1_500);
    expect(performance.now() - since).toBeLessThan(5_000);
    await server.restart();
    await eventually(async () => (await app.listeners()) === 1);
    await bellIsHeard(app);
    expect(app.runs).not.toContain(1);
  });

  it('does not keep an application from closing', async () => {
    const { app, jobs, Counting } = await started();
    await server.kill('SIGKILL');
    const waiting = jobs.enqueue(Counting, 1).catch((error: unknown) => error);
    await app.close();
    expect(await waiting).toBeInstanceOf(EnqueueFailedError);
    await server.restart();
  });
});

describe('A password that PostgreSQL refuses', () => {
  it('stops the boot, and is shown nowhere', async () => {
    await admin.query("CREATE ROLE guarded LOGIN PASSWORD 'the-right-one'");
    const rules = join(server.folder, 'data/pg_hba.conf');
    await writeFile(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${await readFile(rules, 'utf8')}`);
    await admin.query('SELECT pg_reload_conf()');
    const address = new URL(server.url);
    address.username = 'guarded';
    const boot = async (password: string) => {
      address.password = password;
      const options = { backend: address.href, prefix: newPrefix(), runner: false as const };
      const { app, lines } = await startApp({ options, realTime: true, init: false });
      return { error: await app.init().catch((error: unknown) => error), lines };
    };
    // The server reads its rules some moments later.
    await eventually(async () => String((await boot('')).error).includes('password'));
    const secret = 'hunter2-and-more';
    const { error, lines } = await boot(secret);
    expect(error).toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(
        /^postgres at 127\.0\.0\.1:\d+\/postgres cannot be used: password authentication failed/,
      ),
    });
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify([error, lines]);
    expect(shown).not.toContain(secret);
  });
});

describe('A connection to PostgreSQL that is half open', () => {
  const through = (proxy: TcpProxy) => `postgres://postgres@127.0.0.1:${proxy.port}/postgres`;

  it.each<Silence>(['both', 'requests', 'replies'])(
    'lets no call hang, and the application goes on by itself: %s lost',
    async (silence) => {
      const proxy = await TcpProxy.to(server.port);
      const app = await started('500ms', through(proxy));
      const { jobs, catalog, Counting, runs, queue } = app;
      await jobs.enqueue(Counting, 0);
      await eventually(() => runs.length === 1);
      proxy.hold(silence);
      const since = performance.now();
      const [enqueued, counted] = await Promise.allSettled([
        jobs.enqueue(Counting, 1_000),
        catalog.counts(queue),
      ]);
      expect(enqueued).toMatchObject({ reason: expect.any(EnqueueFailedError) });
      expect(counted).toMatchObject({ reason: expect.any(StoreUnavailableError) });
      // The times are 2 s and 5 s; slow machines get some more.
      expect(performance.now() - since).toBeLessThan(15_000);
      proxy.pass();
      await eventually(() =>
        jobs.enqueue(Counting, 2_000).then(
          () => true,
          () => false,
        ),
      );
      await eventually(() => runs.includes(2_000));
      await eventually(() => isDone(catalog, queue));
    },
  );

  it('is made anew where it only listens, so that the bell is heard again', async () => {
    const proxy = await TcpProxy.to(server.port);
    const app = await started(noSweep, through(proxy));
    proxy.hold('both', 'listen');
    expect(proxy.held).toBe(1);
    await eventually(() => proxy.held === 0, 45_000);
    await eventually(async () => (await app.listeners()) === 1);
    await bellIsHeard(app);
  });

  it('does not outlive the close of its application', async () => {
    const proxy = await TcpProxy.to(server.port);
    const { app, jobs, runs, Counting } = await started('500ms', through(proxy));
    await jobs.enqueue(Counting, 0);
    await eventually(() => runs.length === 1);
    proxy.hold('both');
    expect(proxy.held).toBeGreaterThan(2);
    await app.close();
    await eventually(() => proxy.held === 0);
  });
});
