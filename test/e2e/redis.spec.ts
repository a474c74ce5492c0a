import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { eventually, startApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

// A server of our own: what is done to it must not trouble other specs.
let url: string;
let admin: Redis;
beforeAll(async () => {
  ({ url } = await ownRedis());
  admin = adminOf(url);
});

/** Only the bell wakes a runner. */
const noSweep = { pollInterval: '10m' } as const;

/** The clients that applications have open; the test's own is left alone. */
async function killClients(): Promise<void> {
  const own = await admin.client('ID');
  for (const line of String(await admin.client('LIST'))
    .trim()
    .split('\n')) {
    const id = /^id=(\d+)/.exec(line)![1]!;
    if (id !== String(own)) await admin.client('KILL', 'ID', Number(id)).catch(() => undefined);
  }
}

describe('An application on Redis', () => {
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

  it('hears its bell again when its connections were killed', async () => {
    const prefix = newPrefix();
    const { Counting, runs, queue } = counting();
    const options = { backend: url, prefix, runner: noSweep };
    const { jobs } = await startApp({ providers: [Counting], options, realTime: true });
    const listeners = async () => (await admin.pubsub('NUMSUB', `${prefix}:{${queue}}:bell`))[1];
    for (let n = 1; n <= 3; n++) {
      await eventually(async () => Number(await listeners()) === 1);
      await jobs.enqueue(Counting, n);
      await eventually(() => runs.length === n);
      await killClients();
    }
  });

  it('goes on by itself when its scripts are flushed and its connections killed', async () => {
    const prefix = newPrefix();
    const { Counting, runs, queue } = counting();
    const { jobs, catalog } = await startApp({
      providers: [Counting],
      options: { backend: url, prefix, runner: { pollInterval: '200ms' } },
      realTime: true,
    });
    const total = 400;
    for (let n = 0; n < total; n++) {
      if (n % 100 === 50) await killClients();
      if (n % 100 === 75) await admin.script('FLUSH');
      await jobs.enqueue(Counting, n);
    }
    await eventually(() => new Set(runs).size === total);
    await eventually(() => isDone(catalog, queue));
  });

  it('does not begin where the server cannot be used, and says why', async () => {
    const refused = startApp({
      options: { backend: 'redis://127.0.0.1:1' },
      realTime: true,
    });
    await expect(refused).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/127\.0\.0\.1:1 .*ECONNREFUSED/),
    });
  });
});
