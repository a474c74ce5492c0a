import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, startApp } from '../support/app.js';
import { ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { newPrefix } from './fixtures/redis-jobs.js';
import { passedSeconds, recurring, repeated, storedSlots } from './fixtures/redis-schedules.js';

const second = 1_000;
const awayMs = 4 * second;

let server: OwnRedis;
beforeAll(async () => {
  server = await ownRedis(['--save', '', '--appendonly', 'yes', '--appendfsync', 'always']);
});

/** Two processes with one schedule for each rule about missed slots. */
async function startMissing() {
  const prefix = newPrefix();
  const { queue, ...all } = recurring({ name: 'All', missed: { all: 1_000 }, overlap: 'queue' });
  const once = recurring({ name: 'Once', overlap: 'queue', queue });
  const skip = recurring({ name: 'Skip', missed: 'skip', overlap: 'queue', queue });
  const start = (by: string) =>
    startApp({
      providers: [all, once, skip].map(({ classFor }) => classFor(by)),
      options: { backend: server.url, prefix, runner: { lease: '5s', pollInterval: '500ms' } },
      realTime: true,
    });
  const [{ catalog }] = await Promise.all([start('one'), start('two')]);
  const each = [all, once, skip];
  const goOn = async () => {
    const seen = each.map(({ runs }) => runs.length);
    await eventually(() => each.every(({ runs }, n) => runs.length >= seen[n]! + 2));
  };
  await goOn();
  const skipped = async () => {
    const found = await Promise.all(each.map(({ name: id }) => catalog.schedule({ queue, id })));
    return found.map((schedule) => schedule!.skipped) as [number, number, number];
  };
  return { catalog, queue, each, goOn, skipped };
}

describe('Schedules whose Redis goes away and comes back', () => {
  it.each([
    ['is killed', () => server.kill('SIGKILL'), () => server.restart()],
    ['stands still', () => server.kill('SIGSTOP'), () => server.kill('SIGCONT')],
  ])('go on when it %s, and do about what they missed as their rule says', async (_, leave, comeBack) => {
    const { catalog, queue, each, goOn, skipped } = await startMissing();
    const before = await skipped();
    await leave();
    await sleep(awayMs);
    await comeBack();
    await goOn();
    const [all, once, skip] = await skipped();
    expect(all).toBe(0);
    // Each time the latest is made up for, and only by the one; what is late by itself meanwhile counts as well.
    expect(once - before[1]).toBeGreaterThanOrEqual(awayMs / second - 3);
    expect(skip - before[2]).toBeGreaterThan(once - before[1]);
    for (const { name: id } of each) {
      const schedule = (await catalog.schedule({ queue, id }))!;
      const stored = await storedSlots(catalog, queue, id);
      expect(repeated(stored)).toEqual([]);
      expect(stored.every((slot) => (slot - schedule.firstSlot.getTime()) % second === 0)).toBe(true);
      expect(schedule.fired + schedule.skipped).toBe(passedSeconds(schedule));
      // A task whose outcome was lost on its way may run twice; its slot has but the one.
      expect(stored.length).toBeGreaterThanOrEqual(schedule.fired);
    }
  });
});
