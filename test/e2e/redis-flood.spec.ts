import { beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Backend } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { settings, success } from '../backend/conformance/setup.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { ageRedisQueue } from '../support/redis-time.js';

const total = 100_000;
const hourMs = 3_600_000;
/** How long one call may keep the server from everybody else; slow machines are given much. */
const longestCallMs = 2_000;

// What is said at each boot is tested elsewhere.
Logger.overrideLogger(false);

let admin: Redis;
let url: string;
beforeAll(async () => {
  ({ url } = await ownRedis());
  admin = adminOf(url);
});

function newTask(queue: string, id: string, inMs = 0) {
  return { queue, id, token: id, job: 'Job', params: '{}', priority: 0, due: { inMs }, retries: 3 };
}

async function fill({ tasks }: Backend, queue: string, inMs: number): Promise<void> {
  for (let from = 0; from < total; from += 5_000)
    await tasks.add(Array.from({ length: 5_000 }, (_, n) => [newTask(queue, `${from + n}`, inMs)]));
}

const claimFrom = ({ tasks }: Backend, queues: readonly string[], limit: number) =>
  tasks.claim({
    queues: queues.map((queue) => ({ queue, limit })),
    limit,
    leaseMs: hourMs,
    runner: 'flooded',
  });

/** Enqueues, runs and settles in a queue of its own until told to stop; the longest that one round took. */
function living({ tasks }: Backend, queue: string) {
  let longestMs = 0;
  let rounds = 0;
  let isOver = false;
  const living = (async () => {
    while (!isOver) {
      const since = performance.now();
      await tasks.add([[newTask(queue, `${rounds}`)]]);
      const [claimed] = (
        await tasks.claim({ queues: [{ queue, limit: 1 }], limit: 1, leaseMs: hourMs, runner: 'living' })
      ).tasks;
      await tasks.settle([{ queue, id: claimed!.id, epoch: claimed!.epoch, outcome: success }]);
      longestMs = Math.max(longestMs, performance.now() - since);
      rounds++;
    }
  })();
  return async () => {
    isOver = true;
    await living;
    return { longestMs, rounds };
  };
}

describe('A flood on Redis', () => {
  it('of 100,000 due tasks and 100,000 expired leases is worked off in short calls, and others are answered meanwhile', async () => {
    const backend = redisBackend({ url });
    const beside = redisBackend({ url });
    await backend.open(settings);
    await beside.open(settings);
    try {
      await fill(backend, 'due', hourMs);
      await fill(backend, 'expired', 0);
      while ((await backend.catalog.counts('expired')).waiting > 0)
        await claimFrom(backend, ['expired'], 1_000);
      // An hour and more has passed, for both at the same moment.
      for (const queue of ['due', 'expired']) await ageRedisQueue(admin, settings.prefix, queue, 2 * hourMs);
      const { scheduled } = await backend.catalog.counts('due');
      const { pending } = await backend.catalog.counts('expired');
      expect([scheduled, pending]).toEqual([total, total]);
      await admin.config('SET', 'slowlog-log-slower-than', longestCallMs * 1_000);
      await admin.call('SLOWLOG', ['RESET']);

      const stop = living(beside, 'other');
      const taken = { due: 0, expired: 0 };
      for (let claims = 0; claims < total / 1_000; claims++) {
        const { tasks } = await claimFrom(backend, ['due', 'expired'], 100);
        for (const { queue } of tasks) taken[queue as keyof typeof taken]++;
        // However slow the machine is: a call moves a thousand of each kind, and no more.
        if (claims === 0)
          expect(await backend.catalog.counts('due')).toMatchObject({ scheduled: total - 1_000 });
      }
      const other = await stop();

      expect(taken.due + taken.expired).toBe(total / 10);
      expect(taken.due).toBeGreaterThan(0);
      expect(taken.expired).toBeGreaterThan(0);
      expect(await backend.catalog.counts('due')).toMatchObject({ scheduled: 0, pending: taken.due });
      expect(await backend.catalog.counts('expired')).toMatchObject({ pending: taken.expired, dead: 0 });
      expect(await admin.call('SLOWLOG', ['GET'])).toEqual([]);
      expect(other.rounds).toBeGreaterThan(10);
      expect(other.longestMs).toBeLessThan(20_000);
    } finally {
      await backend.close();
      await beside.close();
    }
  }, 240_000);
});
