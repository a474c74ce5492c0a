import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { Clock } from 'nestjs-jobs';
import pg from 'pg';
import { AppModule } from '../../sample/01-quick-start/app.module.js';
import { hints } from '../../sample/01-quick-start/hints.js';
import { eventually } from '../support/app.js';
import { buildSamples, type SampleBuild } from '../support/sample-build.js';
import { rawGet } from './fixtures/dashboard-stage.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('sample 01, quick start', () => {
  let app: INestApplication | undefined;
  const clock = new VirtualClock();
  const lines: string[] = [];
  const says = (line: string) => eventually(() => lines.some((said) => said.includes(line)));

  afterEach(async () => {
    await app?.close();
  });

  async function start(): Promise<number> {
    const testing = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(Clock)
      .useValue(clock)
      .compile();
    app = testing.createNestApplication();
    const write = (message: unknown, ...rest: unknown[]) =>
      void lines.push(`[${String(rest.at(-1))}] ${String(message)}`);
    app.useLogger({ log: write, warn: write, error: write });
    await app.listen(0);
    return ((app.getHttpServer() as ReturnType<typeof createServer>).address() as AddressInfo).port;
  }

  test('does what its hints promise, and leaves nothing open', async () => {
    const openBefore = openResources();
    const [createUser, sync, wrong, store] = curlsOf(hints(await start()));
    await says('[Heartbeat] beat 1');

    const created = await send(createUser!);
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject([{ status: 'enqueued' }, { status: 'enqueued' }]);
    await says('[SendWelcome] welcomed ada@example.com');
    await clock.advance(4_999);
    expect(lines).not.toContainEqual(expect.stringContaining('[AskForFeedback]'));
    await clock.advance(1);
    await says('[AskForFeedback] asked ada@example.com for feedback, ');

    expect((await send(sync!)).body).toMatchObject({ status: 'enqueued' });
    await says('(attempt 1 of 3): Error: the address book does not answer; it runs again in 1 s');
    await clock.advance(1_000);
    await says('(attempt 2 of 3): Error: the address book does not answer; it runs again in 3 s');
    await clock.advance(3_000);
    await says('[SyncContact] synced ada@example.com at attempt 3');

    const refused = await send(wrong!);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ message: [{ path: 'to', message: 'to must be an email' }] });

    await eventually(async () => ((await send(store!)).body as { pending: number }).pending === 0);
    expect((await send(store!)).body).toMatchObject({ scheduled: 0, waiting: 0, dead: 0, parked: 0 });

    expect(lines).not.toContainEqual(expect.stringContaining('[Heartbeat] beat 2'));
    await clock.advance(1_000);
    await says('[Heartbeat] beat 2');

    await app!.close();
    app = undefined;
    await eventually(() => openResources() <= openBefore);
  });
});

describe("sample 01's dashboard", () => {
  test('is for whoever sits at this machine, by no other name, and not for whoever comes through a proxy', async () => {
    const testing = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = testing.createNestApplication();
    app.useLogger(false);
    await app.listen(0, '127.0.0.1');
    try {
      const url = await app.getUrl();
      const asked = async (headers: Record<string, string>) =>
        (await rawGet(url, '/jobs/api/v1/overview', headers)).status;
      expect(await asked({})).toBe(200);
      expect(await asked({ host: 'localhost:3000' })).toBe(200);
      expect((await rawGet(url, '/jobs/')).body).toContain('<script');
      expect(await asked({ host: 'rebound.example:3000' })).toBe(403);
      expect(await asked({ 'x-forwarded-for': '203.0.113.7' })).toBe(403);
    } finally {
      await app.close();
    }
  });
});

describe('samples as processes', () => {
  let samples: SampleBuild;

  beforeAll(async () => {
    samples = await buildSamples();
  }, 120_000);

  afterAll(async () => {
    await samples.remove();
    for (const prefix of ['sample-03', 'sample-04']) await forget(prefix, process.env.TEST_REDIS_URL!);
  });

  test('sample 01 shows its jobs unasked and ends on Ctrl-C', async () => {
    const port = await withServer(async (taken) => taken);
    const { child, ended, output } = samples.start('01-quick-start/main.js', { PORT: String(port) });
    await eventually(() => output().includes('[SendWelcome] welcomed grace@example.com'), 30_000);
    expect(output()).toContain(hints(port));
    expect(output()).toContain('it runs again in 1 s');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(output()).not.toContain('ERROR');
  });

  test('sample 01 says clearly that its port is taken', async () => {
    await withServer(async (taken) => {
      const { ended, output } = samples.start('01-quick-start/main.js', { PORT: String(taken) });
      expect(await ended).toEqual({ code: 1, signal: null });
      expect(output()).toContain(`Port ${taken} is taken by another program`);
    });
  });

  test('sample 03: the web takes an order at once, the worker fulfils it, the web shows the result', async () => {
    const REDIS_URL = process.env.TEST_REDIS_URL!;
    const port = await withServer(async (taken) => taken);
    const web = samples.start('03-web-and-worker/web.js', { REDIS_URL, PORT: String(port) });
    await eventually(() => web.output().includes(`listens on http://localhost:${port}`), 30_000);
    const [order, look] = curlsOf(web.output());
    expect((await send({ ...order!, body: '{"title":"None","amounts":[]}' })).status).toBe(400);

    const ordered = await send(order!);
    expect(ordered.status).toBe(202);
    const { id } = ordered.body as { id: string };
    const ofIt = { ...look!, url: look!.url.replace('<id>', id) };
    expect((await send(ofIt)).body).toEqual({ state: 'waiting' });

    const worker = samples.start('03-web-and-worker/worker.js', { REDIS_URL });
    const isDone = async () => ((await send(ofIt)).body as { state: string }).state === 'succeeded';
    await eventually(isDone, 30_000);
    const report = { title: 'May', total: 18, average: 6, madeBy: worker.child.pid };
    expect((await send(ofIt)).body).toEqual({ state: 'succeeded', report });
    expect(web.output()).not.toContain('[MakeReport]');

    for (const { child, ended } of [web, worker]) {
      child.kill('SIGINT');
      expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    }
  });

  test('sample 03 says in plain words that no Redis is there', async () => {
    const nobody = await withServer(async (taken) => taken);
    const env = { REDIS_URL: `redis://localhost:${nobody}`, PORT: '0' };
    for (const program of ['web', 'worker']) {
      const { ended, output } = samples.start(`03-web-and-worker/${program}.js`, env);
      expect(await ended).toEqual({ code: 1, signal: null });
      expect(output()).toContain('This sample keeps its tasks in Redis. Start one');
    }
  });

  test('sample 04 recurs by itself, and does with the schedules of a user what its hints promise', async () => {
    const port = await withServer(async (taken) => taken);
    const { child, ended, output } = samples.start('04-recurring/main.js', {
      PORT: String(port),
      REDIS_URL: undefined,
    });
    const says = (line: RegExp) => eventually(() => line.test(output()));
    await says(/\[PruneSessions\] pruned for slot \d{4}-/);
    await says(/\[Reports\.send\] report of \d\d:\d\d:\d[05] in Europe\/Berlin/);
    const [every, cron, never, list, next, run, pause, resume, remove] = curlsOf(output());

    const id = 'digest of ada';
    expect((await send(every!)).body).toEqual({ id, queue: 'digests', status: 'enqueued' });
    await says(/\[SendDigest\] digest for ada, slot \d{4}-/);
    expect((await send(cron!)).body).toMatchObject({ id, status: 'replaced' });
    expect(await send(never!)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('SendDigest: cron is "0 0 30 2 *"') },
    });
    const rule = { cron: '0 7 * * 1-5', timeZone: 'Asia/Tokyo' };
    const listed = (await send(list!)).body as { id: string }[];
    expect(listed.map((schedule) => schedule.id).sort()).toEqual(['PruneSessions', 'Reports.send', id]);
    expect(listed).toContainEqual(expect.objectContaining({ id, job: 'SendDigest', rule, isPaused: false }));
    const slots = (await send(next!)).body as string[];
    expect(slots.map((slot) => slot.slice(11))).toEqual(Array.from({ length: 5 }, () => '22:00:00.000Z'));
    expect((await send(run!)).body).toMatchObject({ task: { queue: 'digests' } });
    await says(/digest for ada, slot none: run by hand/);

    expect((await send(pause!)).body).toEqual({ pause: 'done' });
    const paused = { id: 'PruneSessions', isPaused: true };
    expect((await send(list!)).body).toContainEqual(expect.objectContaining(paused));
    expect((await send(resume!)).body).toEqual({ resume: 'done' });
    expect((await send(remove!)).body).toEqual({ remove: 'done' });
    expect((await send(list!)).body).toHaveLength(2);

    child.kill('SIGINT');
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(output()).not.toContain('ERROR');
  });

  test('sample 04 on Redis runs each slot once, in one of two processes', async () => {
    const REDIS_URL = process.env.TEST_REDIS_URL!;
    const both = ['0', '0'].map((PORT) => samples.start('04-recurring/main.js', { REDIS_URL, PORT }));
    const slotsOf = ({ output }: (typeof both)[number]) =>
      [...output().matchAll(/pruned for slot (\S+)/g)].map(([, slot]) => Date.parse(slot!));
    const isUp = ({ output }: (typeof both)[number]) => output().includes('each slot still runs once');
    await eventually(() => both.every(isUp));
    const upAt = Date.now();
    const seen = () => both.flatMap(slotsOf).sort((a, b) => a - b);
    await eventually(() => seen().filter((slot) => slot > upAt).length >= 3);
    const slots = seen();
    expect(new Set(slots).size).toBe(slots.length);
    expect(slots.filter((slot) => (slot - slots[0]!) % 2_000 !== 0)).toEqual([]);
    for (const { child, ended } of both) {
      child.kill('SIGINT');
      expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
    }
  });

  test('sample 05 with no server: orders and their tasks come and go together, also over a restart', async () => {
    const DATA_FOLDER = await mkdtemp(join(process.cwd(), '.tmp', 'sample-05-'));
    const env = { DATA_FOLDER, JOBS_URL: undefined };
    try {
      const first = await openShop(env);
      const { id } = await buyTeapot(first);
      await eventually(() => first.output().includes(`mail to ada@example.com: order ${id} is paid`));
      await first.close();
      const second = await openShop(env);
      expect(await second.orders()).toContainEqual({ id, item: 'teapot', state: 'paid', payments: [2] });
      expect((await buyTeapot(second)).id).toBeGreaterThan(id);
      await second.close();
    } finally {
      await rm(DATA_FOLDER, { recursive: true, force: true });
    }
  });

  test('sample 05 on a server: two processes share the orders', async () => {
    const env = { JOBS_URL: process.env.TEST_POSTGRES_URL! };
    try {
      const both = [await openShop(env), await openShop(env)];
      const bought = [await buyTeapot(both[0]!), await buyTeapot(both[1]!)];
      const paid = bought.map(({ id }) => ({ id, item: 'teapot', state: 'paid', payments: [2] }));
      expect(await both[0]!.orders()).toEqual(paid);
      for (const shop of both) await shop.close();
    } finally {
      const client = new pg.Client(env.JOBS_URL);
      await client.connect();
      await client.query('DROP SCHEMA IF EXISTS shop, "sample-05" CASCADE');
      await client.end();
    }
  });

  /** Sample 05 as a process, and the requests of its hints. */
  async function openShop(env: NodeJS.ProcessEnv) {
    const port = await withServer(async (taken) => taken);
    const { child, ended, output } = samples.start('05-transactions/main.js', { ...env, PORT: String(port) });
    await eventually(() => output().includes(`listens on http://localhost:${port}`));
    const [teapot, unicorn, list] = curlsOf(output());
    return {
      output,
      teapot: () => send(teapot!),
      unicorn: () => send(unicorn!),
      orders: async () => (await send(list!)).body as { id: number; state: string }[],
      async close() {
        child.kill('SIGINT');
        expect(await ended).toEqual({ code: null, signal: 'SIGINT' });
        expect(output()).not.toContain('ERROR');
      },
    };
  }

  /** What its hints promise: one order that is paid once, by its second attempt, and another that never was. */
  async function buyTeapot({ teapot, unicorn, orders, output }: Awaited<ReturnType<typeof openShop>>) {
    const placed = await teapot();
    expect(placed.status).toBe(201);
    const { id } = placed.body as { id: number };
    expect((await unicorn()).status).toBe(409);
    const isPaid = async () => (await orders()).find((order) => order.id === id)?.state === 'paid';
    await eventually(isPaid);
    const order = { id, item: 'teapot', state: 'paid', payments: [2] };
    expect(await orders()).toContainEqual(order);
    expect(await orders()).not.toContainEqual(expect.objectContaining({ item: 'unicorn' }));
    expect(output()).not.toContain('a unicorn');
    return { id };
  }
});

interface Curl {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
}

/** The requests that a text tells to make by curl. */
function curlsOf(text: string): Curl[] {
  return text
    .split('\n')
    .filter((line) => line.includes(' curl '))
    .map((line) => ({
      method: /-X (\w+)/.exec(line)?.[1] ?? 'GET',
      url: /http:\S+/.exec(line)![0],
      body: /-d '(.*)'/.exec(line)?.[1],
    }));
}

async function send({ method, url, body }: Curl): Promise<{ status: number; body: unknown }> {
  // A connection that fetch keeps for later would look like one that the sample left open.
  const headers = { 'content-type': 'application/json', connection: 'close' };
  const response = await fetch(url, { method, headers, body });
  return { status: response.status, body: await response.json() };
}

/** A server on a free port, for as long as `use` takes. */
async function withServer<T>(use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Takes away what a sample left in the test run's Redis: its result is kept for an hour. */
async function forget(prefix: string, url: string): Promise<void> {
  const redis = new Redis(url);
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
}

function openResources(): number {
  return process.getActiveResourcesInfo().filter((kind) => /Timeout|TCP|Immediate/.test(kind)).length;
}
