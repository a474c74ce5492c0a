import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Clock, Job, type Task } from 'nestjs-jobs';
import { eventually, startApp, type TestAppOptions } from '../support/app.js';
import { adminOf } from '../support/own-redis.js';
import { MovedClock } from './fixtures/moved-clock.js';
import { newPrefix } from './fixtures/redis-jobs.js';
import { recurring, repeated, storedSlots } from './fixtures/redis-schedules.js';

const url = process.env.TEST_REDIS_URL!;
const second = 1_000;
const hour = 3_600_000;

let admin: Redis;
beforeAll(() => {
  admin = adminOf(url);
});

async function serverNow(): Promise<number> {
  const [seconds, microseconds] = await admin.time();
  return Number(seconds) * second + Math.floor(Number(microseconds) / second);
}

function startOn(prefix: string, wrongByMs: number, providers: TestAppOptions['providers']) {
  const clock = new MovedClock(wrongByMs);
  return startApp({
    ...{ providers, options: { backend: url, prefix }, realTime: true },
    override: (builder) => builder.overrideProvider(Clock).useValue(clock),
  });
}

const everySecond = [
  ['a span', { every: '1s' }],
  ['a cron text', { cron: '* * * * * *' }],
] as const;

describe.each([
  ['an hour slow', -hour],
  ['an hour fast', hour],
])('A process whose clock is %s', (_, wrongByMs) => {
  it.each(everySecond)('declares and fires the slots of %s by the time of the store', async (_rule, rule) => {
    const { classFor, runs, slots, queue, name } = recurring({
      ...rule,
      missed: { all: 100 },
      overlap: 'queue',
    });
    const beganAt = await serverNow();
    const { catalog } = await startOn(newPrefix(), wrongByMs, [classFor('wrong')]);
    await eventually(() => runs.length >= 3);
    const stored = await storedSlots(catalog, queue, name);
    const first = stored[0]!;
    expect(first).toBeGreaterThanOrEqual(beganAt);
    expect(first).toBeLessThanOrEqual(runs[0]!.at);
    expect(stored).toEqual(stored.map((_slot, n) => first + n * second));
    expect(stored.at(-1)!).toBeLessThanOrEqual(await serverNow());
    if ('cron' in rule) expect(first % second).toBe(0);
    expect(repeated(slots())).toEqual([]);
    for (const { slot, at } of runs) expect(at).toBeGreaterThanOrEqual(slot);
  });

  it('beside one whose clock is right, leaves each slot one run at its time', async () => {
    const prefix = newPrefix();
    const { classFor, runs, slots, queue, name } = recurring({ missed: { all: 100 }, overlap: 'queue' });
    await startOn(prefix, 0, [classFor('right')]);
    await eventually(() => runs.length >= 1);
    const { catalog } = await startOn(prefix, wrongByMs, [classFor('wrong')]);
    const seen = runs.length;
    await eventually(() => runs.length >= seen + 4);
    const stored = await storedSlots(catalog, queue, name);
    expect(stored).toEqual(stored.map((_slot, n) => stored[0]! + n * second));
    expect(stored.at(-1)!).toBeLessThanOrEqual(await serverNow());
    expect(repeated(slots())).toEqual([]);
  });

  it('puts schedules whose slots are those of the store', async () => {
    const queue = `put-${randomUUID()}`;
    const runs = new Map<string, number[]>();
    @Job({ queue, name: 'Put' })
    class Put {
      run(rule: string, { slot }: Task): void {
        runs.set(rule, [...(runs.get(rule) ?? []), slot!.getTime()]);
      }
    }
    const { jobs, catalog } = await startOn(newPrefix(), wrongByMs, [Put]);
    const beganAt = await serverNow();
    const until = new Date(beganAt + 10 * second);
    await jobs.enqueue(Put, 'span', { every: '1s', for: '3s', missed: { all: 100 }, overlap: 'queue' });
    await jobs.enqueue(Put, 'cron', {
      cron: '* * * * * *',
      for: '3s',
      missed: { all: 100 },
      overlap: 'queue',
    });
    await jobs.enqueue(Put, 'until', { every: '1m', until });
    const putAt = await serverNow();
    const ran = () => [...runs.values()].flat().length;
    await eventually(async () => (await catalog.schedules({ queue })).schedules.length === 0 && ran() >= 7);
    const [span, cron, short] = ['span', 'cron', 'until'].map((rule) => runs.get(rule)!);
    for (const slots of [span!, cron!]) expect(slots).toEqual([0, 1, 2].map((n) => slots[0]! + n * second));
    for (const first of [span![0]!, short![0]!]) {
      expect(first).toBeGreaterThanOrEqual(beganAt);
      expect(first).toBeLessThanOrEqual(putAt);
    }
    expect(cron![0]! % second).toBe(0);
    expect(cron![0]! - beganAt).toBeGreaterThan(0);
    expect(cron![0]! - putAt).toBeLessThanOrEqual(second);
    expect(short).toHaveLength(1);
  });
});
