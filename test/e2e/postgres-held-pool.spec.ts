import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EnqueueFailedError } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const connectionString = process.env.TEST_POSTGRES_URL!;
let pool: pg.Pool;
beforeAll(() => {
  pool = new pg.Pool({ connectionString, max: 2 });
});
afterAll(() => pool.end());

describe('A pool of which the application holds every connection', () => {
  it('lets an enqueue reject at its time, knowing that nothing was sent, while the runner goes on', async () => {
    const leaseMs = 1_500;
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { Counting, runs, queue } = counting((n) => (n === 0 ? ended : undefined));
    const { jobs, catalog } = await startApp({
      providers: [Counting],
      options: {
        backend: postgresBackend({ pool }),
        prefix: newPrefix(),
        enqueueTimeout: '1s',
        runner: { lease: leaseMs, pollInterval: '100ms', concurrency: 2 },
      },
      realTime: true,
    });
    await jobs.enqueue(Counting, 0, { id: 'long' });
    // They become due one after the other, while the pool is held.
    await jobs.bulk((bulk) => {
      for (let n = 1; n <= 20; n++) bulk.enqueue(Counting, n, { in: 500 + n * 150 });
    });
    const held = [await pool.connect(), await pool.connect()];
    try {
      const since = performance.now();
      const before = runs.length;
      // Each comes when those before it are on their way: more than go at a time.
      const calls = [0, 1, 2, 3, 4].map(async (n) => {
        await eventually(() => performance.now() - since > n * 100);
        return jobs.enqueue(Counting, 1_000 + n);
      });
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(EnqueueFailedError) });
        expect(result).toMatchObject({ reason: { sent: false } });
      }
      // The time is 1 s; slow machines get some more.
      expect(performance.now() - since).toBeLessThan(4_000);
      // For longer than two leases.
      await eventually(() => performance.now() - since > 2.5 * leaseMs && runs.length === 20);
      expect(runs.length).toBeGreaterThan(before);
    } finally {
      for (const client of held) client.release();
    }
    expect(await catalog.task({ queue, id: 'long' })).toMatchObject({ state: 'pending', attempt: 1 });
    end();
    await eventually(() => isDone(catalog, queue));
    // What was refused is not there, and one that comes now is.
    expect(runs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, n) => n));
    await jobs.enqueue(Counting, 3_000);
    await eventually(() => runs.includes(3_000));
  });
});
