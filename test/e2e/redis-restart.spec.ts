import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { EnqueueFailedError } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { eventually, startApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

let server: OwnRedis;
let admin: Redis;
beforeAll(async () => {
  const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  // A file that was rewritten loads slowly, and the server says so meanwhile.
  const slow = ['--key-load-delay', '100', '--loading-process-events-interval-bytes', '1024'];
  server = await ownRedis([...durable, ...slow]);
  admin = adminOf(server.url);
});
beforeEach(() => eventually(() => admin.status === 'ready'));

async function started() {
  const { Counting, runs, queue } = counting();
  const prefix = newPrefix();
  const app = await startApp({
    providers: [Counting],
    options: {
      backend: redisBackend({ url: server.url, strict: true }),
      prefix,
      enqueueTimeout: '2s',
      runner: { lease: '2s', pollInterval: '500ms' },
    },
    realTime: true,
  });
  return { ...app, Counting, runs, queue, prefix };
}

/** Enqueues without a pause from several callers until told to stop; what each call came to. */
function enqueueing(enqueue: (n: number) => Promise<unknown>) {
  const acknowledged: number[] = [];
  const refused: unknown[] = [];
  let next = 0;
  let isOver = false;
  const caller = async () => {
    while (!isOver) {
      const n = next++;
      await enqueue(n).then(
        () => acknowledged.push(n),
        (error: unknown) => refused.push(error),
      );
    }
  };
  const callers = Array.from({ length: 5 }, caller);
  const stop = async () => {
    isOver = true;
    await Promise.all(callers);
  };
  return { acknowledged, refused, stop, asked: () => next };
}

describe('A Redis server with an append-only file, flushed always', () => {
  it('loses nothing acknowledged when it is killed under load, and the application goes on by itself', async () => {
    const { jobs, catalog, Counting, runs, queue } = await started();
    const load = enqueueing((n) => jobs.enqueue(Counting, n));
    for (let kills = 0; kills < 3; kills++) {
      const before = load.acknowledged.length;
      await eventually(() => load.acknowledged.length > before + 200);
      await server.kill('SIGKILL');
      if (kills === 1) {
        // Long enough for callers to be told.
        const told = load.refused.length;
        await eventually(() => load.refused.length > told);
      }
      await server.restart();
    }
    const before = load.acknowledged.length;
    await eventually(() => load.acknowledged.length > before + 50);
    await load.stop();
    await eventually(() => isDone(catalog, queue));
    const ran = new Set(runs);
    expect(load.acknowledged.filter((n) => !ran.has(n))).toEqual([]);
    expect(load.refused.length).toBeGreaterThan(0);
    for (const error of load.refused) expect(error).toBeInstanceOf(EnqueueFailedError);
    expect(load.acknowledged.length + load.refused.length).toBe(load.asked());
  });

  it('is waited for while it loads its data', async () => {
    const { jobs, catalog, runner, Counting, runs, queue, prefix } = await started();
    await runner.stop();
    const total = 3_000;
    await jobs.bulk((bulk) => {
      for (let n = 0; n < total; n++) bulk.enqueue(Counting, n);
    });
    // Data beside the tasks, so that loading takes some seconds.
    const fill = "for i = 1, 10000 do redis.call('SET', KEYS[1] .. i, i) end";
    await admin.eval(fill, 1, `${prefix}-ballast`);
    await admin.call('BGREWRITEAOF');
    await eventually(async () =>
      /aof_rewrite_in_progress:0\s+aof_rewrite_scheduled:0/.test(await admin.info('persistence')),
    );
    await server.kill('SIGKILL');
    await server.restart({ isLoading: true });
    const loading = await adminOf(server.url, { enableReadyCheck: false }).ping().catch(String);
    expect(loading).toMatch(/LOADING/);
    await runner.start();
    await eventually(() => new Set(runs).size === total);
    await eventually(() => isDone(catalog, queue));
  });
});
