import { describe, expect, it } from '@jest/globals';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';
import { adminOf } from '../support/own-redis.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;
const admin = adminOf(url);

const onRedis = (prefix: string) => ({ backend: redisBackend({ url }), prefix });

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
    const { Counting, runs } = counting();
    const worker = await startApp({ providers: [Counting], options: onRedis(prefix), realTime: true });
    const web = await startApp({ options: { ...onRedis(prefix), runner: false }, realTime: true });
    const queue = (await web.jobs.enqueue(Counting, 1)).queue;
    await eventually(() => runs.length === 1, 2_000);
    await web.jobs.enqueue(Counting, 2, { in: '100ms' });
    await eventually(() => runs.length === 2, 2_000);
    await eventually(async () => (await worker.catalog.counts(queue)).pending === 0);
    expect(runs).toEqual([1, 2]);
  });

  it('goes on by itself when its scripts are flushed and its connections killed', async () => {
    const prefix = newPrefix();
    const { Counting, runs } = counting();
    const app = await startApp({
      providers: [Counting],
      options: { ...onRedis(prefix), runner: { pollInterval: '200ms' } },
      realTime: true,
    });
    const total = 400;
    const stored: number[] = [];
    let queue = '';
    for (let n = 0; n < total; n++) {
      if (n % 100 === 50) await killClients();
      if (n % 100 === 75) await admin.script('FLUSH');
      ({ queue } = await app.jobs.enqueue(Counting, n));
      stored.push(n);
    }
    await eventually(() => new Set(runs).size === total, 10_000);
    expect(stored).toHaveLength(total);
    await eventually(() => isDone(app.catalog, queue), 10_000);
  });

  it('does not begin where the server cannot be used, and says why', async () => {
    const refused = startApp({
      options: { backend: redisBackend({ url: 'redis://127.0.0.1:1' }) },
      realTime: true,
    });
    await expect(refused).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/127\.0\.0\.1:1 .*ECONNREFUSED/),
    });
  });
});
