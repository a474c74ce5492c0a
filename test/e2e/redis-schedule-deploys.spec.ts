import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Clock, type Backend } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { eventually, startApp } from '../support/app.js';
import { adminOf } from '../support/own-redis.js';
import { ageRedisQueue } from '../support/redis-time.js';
import { settings } from '../backend/conformance/setup.js';
import { MovedClock } from './fixtures/moved-clock.js';
import { newPrefix } from './fixtures/redis-jobs.js';
import { recurring } from './fixtures/redis-schedules.js';

const url = process.env.TEST_REDIS_URL!;
const hour = 3_600_000;

// What a store of its own says at its opening is tested elsewhere.
Logger.overrideLogger(false);
const stores: Backend[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

/** Two versions of one job side by side, and the store that both use. */
async function startDeploy() {
  const prefix = newPrefix();
  const job = recurring({ every: '1h' });
  const store = redisBackend({ url });
  stores.push(store);
  const start = async (by: string, every: string) => {
    const clock = new MovedClock();
    const app = await startApp({
      providers: [job.classFor(by, undefined, every)],
      options: { backend: url, prefix, runner: { pollInterval: '100ms' } },
      realTime: true,
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    return { ...app, clock };
  };
  await store.open({ ...settings, prefix });
  const { queue, name: id } = job;
  const stored = async () => (await store.schedules.get({ queue, id }))!;
  const age = (ms: number) => ageRedisQueue(adminOf(url), prefix, queue, ms);
  return { ...job, start, stored, age };
}

const every = (ms: number) => JSON.stringify({ every: { ms } });

describe('Two versions of a recurring job side by side', () => {
  it('follow the rule of the one that started last, however long both go on', async () => {
    const { start, stored, age, runs } = await startDeploy();
    const before = await start('old', '1h');
    await eventually(() => runs.length === 1);
    const after = await start('new', '2h');
    await eventually(async () => (await stored()).rule === every(2 * hour));
    const { firstSlot } = await stored();
    expect(firstSlot).toBe(runs[0]!.slot + 2 * hour);
    // Both say again and again that they declare it, each in its own time.
    for (const { clock } of [before, after, before, before, after]) {
      await age(hour);
      const { declaredAt } = await stored();
      clock.runAhead(hour);
      await eventually(async () => (await stored()).declaredAt! > declaredAt! + hour / 2);
      expect((await stored()).rule).toBe(every(2 * hour));
    }
    await eventually(() => runs.length === 3);
    const moved = await stored();
    expect(moved.fired).toBe(3);
    expect(moved.nextSlot - moved.lastSlot!).toBe(2 * hour);
  });

  it('follow the older one where that is started last, as after a deploy that was taken back', async () => {
    const { start, stored, runs } = await startDeploy();
    const old = await start('old', '1h');
    await eventually(() => runs.length === 1);
    await start('new', '2h');
    await eventually(async () => (await stored()).rule === every(2 * hour));
    await old.runner.stop();
    await old.runner.start();
    await eventually(async () => (await stored()).rule === every(hour));
    expect(await stored()).toMatchObject({ nextSlot: runs[0]!.slot + hour, fired: 1, skipped: 0 });
    expect(runs).toHaveLength(1);
  });
});
