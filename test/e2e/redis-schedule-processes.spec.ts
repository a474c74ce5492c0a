import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startApp } from '../support/app.js';
import { makeOwnBuild } from '../support/own-build.js';
import { newPrefix } from './fixtures/redis-jobs.js';
import { passedSeconds, recurring, repeated, storedSlots } from './fixtures/redis-schedules.js';
import { ScheduleWorkers } from './fixtures/schedule-workers.js';

const url = process.env.TEST_REDIS_URL!;
const second = 1_000;
/** A third of the time is enough to meet what goes wrong at once; TEST_LONG gives it a full minute. */
const killingMs = process.env.TEST_LONG ? 60 * second : 20 * second;
const processes = 8;

let own: Awaited<ReturnType<typeof makeOwnBuild>>;
let workers: ScheduleWorkers;
beforeAll(async () => {
  own = await makeOwnBuild();
  workers = new ScheduleWorkers(own.directory, url);
}, 120_000);
afterEach(() => workers.kill());
afterAll(() => own.remove());

const startReader = (prefix: string) =>
  startApp({ options: { backend: url, prefix, runner: false }, realTime: true });

describe('Eight processes with fifty schedules of a second, killed and started at random', () => {
  const queues = Array.from({ length: 5 }, (_, n) => `schedules-${n}`);
  /**
   * Most make up for every slot: where a machine has fewer cores than there are processes, starting one makes slots late,
   * and a late slot of a second is a missed one. The others do as schedules do that say nothing.
   */
  const schedules = Array.from({ length: 50 }, (_, n) => ({
    ...{ every: '1s', name: `EverySecond${n}`, queue: queues[n % queues.length]! },
    ...{ overlap: 'queue' as const, missed: n < 40 ? { all: 600 } : undefined },
  }));

  /** One to three at a time; most of all are up, so that they have work to be torn from. */
  async function killAtRandom(prefix: string): Promise<void> {
    let killed = 0;
    for (const until = Date.now() + killingMs; Date.now() < until || killed < processes;) {
      await eventually(() => workers.upCount > processes / 2, 120_000);
      await sleep(Math.random() * second);
      const count = 1 + Math.floor(Math.random() * 3);
      await workers.kill(count);
      for (let n = 0; n < count; n++) workers.start(prefix, schedules);
      killed += count;
    }
  }

  it('make one task for each slot, none twice and none left out', async () => {
    const prefix = newPrefix();
    const { catalog } = await startReader(prefix);
    const stored = async () => (await catalog.schedules({ queue: queues }, { limit: 1_000 })).schedules;
    for (let n = 0; n < processes; n++) workers.start(prefix, schedules);
    await eventually(async () => (await stored()).length === schedules.length, 120_000);
    await killAtRandom(prefix);
    // Whatever was killed, what is left goes on.
    const before = new Map((await stored()).map(({ id, fired }) => [id, fired]));
    await eventually(async () => (await stored()).every(({ id, fired }) => fired > before.get(id)!));
    await workers.kill();
    expect(workers.failed).toEqual([]);

    for (const schedule of await stored()) {
      const { queue, id, fired, skipped, missed } = schedule;
      const slots = await storedSlots(catalog, queue, id);
      const [first, last] = [schedule.firstSlot.getTime(), schedule.lastSlot!.getTime()];
      expect(repeated(slots)).toEqual([]);
      expect(slots.filter((slot) => slot < first || slot > last || (slot - first) % second !== 0)).toEqual(
        [],
      );
      expect(schedule.nextSlot!.getTime()).toBe(last + second);
      expect(last - first).toBeGreaterThanOrEqual(killingMs);
      expect(fired).toBe(slots.length);
      expect(fired + skipped).toBe(passedSeconds(schedule));
      if (missed !== 'once') expect(skipped).toBe(0);
    }
  }, 300_000);
});

describe('A run that died with its process', () => {
  it('keeps its schedule waiting for no longer than its lease', async () => {
    const prefix = newPrefix();
    const { classFor, runs, queue, name } = recurring({ every: '1s' });
    const { said } = workers.start(prefix, [{ every: '1s', name, queue, isHolding: true }]);
    await eventually(() => /^holding$/m.test(said()));
    const { catalog } = await startApp({
      providers: [classFor('other')],
      options: { backend: url, prefix, runner: { lease: '1s', pollInterval: '200ms' } },
      realTime: true,
    });
    const schedule = async () => (await catalog.schedule(name))!;
    // While it lives, its lease is renewed: slot after slot is skipped.
    const { skipped } = await schedule();
    await eventually(async () => (await schedule()).skipped >= skipped + 3);
    expect(runs).toEqual([]);
    await workers.kill();
    const killedAt = Date.now();
    await eventually(() => runs.length >= 3);
    // A lease and an interval, and then as much again, and more, for a slow machine; by default a lease is 20 s.
    expect(runs[0]!.slot - killedAt).toBeLessThan(8 * second);
    const held = (await catalog.tasks({ queue, state: 'dead' })).tasks;
    expect(held).toMatchObject([{ scheduleId: name, errors: [{ message: expect.stringMatching(/lease/) }] }]);
  });
});
