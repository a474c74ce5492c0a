import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { RunnerInfo } from '../../lib/backend/stats-store.js';
import { openRedisStore } from '../support/redis-store.js';
import { leaseMs, setupWith } from './conformance/setup.js';
import { nothing } from './conformance/stats-setup.js';

let client: Redis;
beforeAll(() => {
  client = new Redis(process.env.TEST_REDIS_URL!);
});
afterAll(() => client.quit());

const minute = 60_000;
const hour = 60 * minute;
/** Runners are those of a prefix: each test has its own. */
const newPrefix = () => `s${randomUUID().slice(0, 8)}`;
let prefix: string;
const setup = setupWith((settings) =>
  openRedisStore({ ...settings, prefix: (prefix = newPrefix()) }, client),
);

const runner = (name: string): RunnerInfo => ({
  ...{ name, host: 'h', pid: 1, version: '1', queues: [], concurrency: 1, running: 0, tasks: [] },
});

describe('Runs of which no runner tells', () => {
  it(
    'are counted by the claim that finds their leases ended, per job and with how they ended',
    setup(async ({ backend, queue, start, claim, advance, now, about }) => {
      await start({ id: 'again', job: 'Mail', retries: 3 });
      await start({ id: 'also again', job: 'Mail', retries: 3 });
      await start({ id: 'last', job: 'Mail', retries: 0 });
      await start({ id: 'stopped', job: 'Print' });
      await backend.catalog.cancel([{ queue, id: 'stopped' }]);
      await advance(leaseMs);
      await claim({ limit: 0 });
      const seen = about(await now());
      const [mail, print, ...others] = await backend.stats.jobs([queue]);
      expect(mail).toMatchObject({
        ...nothing,
        job: 'Mail',
        lost: 3,
        dead: 1,
        lastRunAt: seen,
        lastFailureAt: seen,
      });
      expect(mail!.lastError).toMatch(/^LeaseLostError: runner runner-1 did not settle/);
      expect(print).toMatchObject({ ...nothing, job: 'Print', lost: 1, cancelled: 1 });
      expect([print!.lastFailureAt, print!.lastError, others]).toEqual([undefined, undefined, []]);
      const { minutes, hours } = await backend.stats.throughput(queue);
      expect([minutes, hours]).toMatchObject([
        [{ ...nothing, lost: 4, dead: 1, cancelled: 1 }],
        [{ ...nothing, lost: 4, dead: 1, cancelled: 1 }],
      ]);
      // Found once, counted once.
      await claim({ limit: 0 });
      expect(await backend.stats.jobs([queue])).toMatchObject([{ lost: 3 }, { lost: 1 }]);
    }),
  );

  it(
    'are how their slots ended, whatever their schedule is called',
    setup(async ({ backend, queue, start, claim, advance, now }) => {
      const { schedules, stats } = backend;
      const slot = await now();
      for (const scheduleId of ['daily', 'a%b\x1fc/"ü%25']) {
        const schedule = { queue, id: scheduleId, job: 'Job', rule: 'r', template: '{}', isDeclared: false };
        await schedules.put({ ...schedule, nextSlot: slot + hour }, 'absent');
        await start({ id: `dies ${scheduleId}`, retries: 0, scheduleId, slot });
        await start({ id: `again ${scheduleId}`, scheduleId, slot: slot - minute });
      }
      await start({ id: 'of a schedule that is gone', scheduleId: 'gone', slot });
      await advance(leaseMs);
      await claim({ limit: 0 });
      for (const id of ['daily', 'a%b\x1fc/"ü%25'])
        expect(await stats.slots({ queue, id })).toMatchObject([
          { slot, task: `dies ${id}`, outcome: 'dead' },
          { slot: slot - minute, task: `again ${id}`, outcome: 'lost' },
        ]);
      expect(await stats.slots({ queue, id: 'gone' })).toEqual([]);
    }),
  );

  it(
    'are not those of tasks that a lock kept from running',
    setup(async ({ backend, queue, start, enqueue, claim, advance }) => {
      const lock = { key: 'k', phase: 'while_executing', onConflict: 'reschedule' } as const;
      await start({ id: 'runs', job: 'Runs', lock });
      await enqueue({ id: 'waits', job: 'Waits', lock });
      expect((await claim()).tasks).toMatchObject([{ id: 'waits', conflictsWith: 'runs' }]);
      await advance(leaseMs);
      await claim({ limit: 0 });
      expect(await backend.stats.jobs([queue])).toMatchObject([{ job: 'Runs', lost: 1 }]);
    }),
  );
});

describe('What is kept of figures', () => {
  it(
    'does not grow, however long a queue is used',
    setup(async ({ backend, queue, advance }) => {
      const report = () =>
        backend.stats.report({
          ...{ runner: runner('r'), aliveMs: minute, slots: [] },
          runs: ['A', 'B'].map((job) => ({ ...nothing, queue, job, succeeded: 1 })),
        });
      for (let n = 0; n < 130; n++) {
        await report();
        await advance(minute);
      }
      for (let n = 0; n < 200; n++) {
        await report();
        await advance(hour);
      }
      const fields = await client.hkeys(`${prefix}:${queue}:stats`);
      const counted = (letter: string) => fields.filter((field) => field.startsWith(letter)).length;
      expect([counted('m'), counted('h'), counted('j'), fields.length]).toEqual([60, 168, 2, 230]);
      expect(await backend.stats.jobs([queue])).toMatchObject([{ succeeded: 330 }, { succeeded: 330 }]);
      const { minutes, hours } = await backend.stats.throughput(queue);
      // An hour has passed since the last one.
      expect([minutes.length, hours.length]).toEqual([0, 167]);
    }),
    60_000,
  );

  it(
    'of runners that never said goodbye goes when others report',
    setup(async ({ backend, advance }) => {
      const alive = (name: string) =>
        backend.stats.report({ runner: runner(name), aliveMs: minute, runs: [], slots: [] });
      await Promise.all(Array.from({ length: 700 }, (_, n) => alive(`dies-${n}`)));
      expect(await backend.stats.runners()).toHaveLength(700);
      await advance(minute);
      expect(await backend.stats.runners()).toEqual([]);
      const kept = () =>
        Promise.all([client.hlen(`${prefix}:runners`), client.zcard(`${prefix}:{${prefix}:runners}:ends`)]);
      expect(await kept()).toEqual([700, 700]);
      await alive('lives');
      expect(await kept()).toEqual([201, 201]);
      await alive('lives');
      expect(await kept()).toEqual([1, 1]);
      await backend.stats.leave('lives');
      expect(await client.keys(`${prefix}:*runners*`)).toEqual([]);
    }),
  );
});
