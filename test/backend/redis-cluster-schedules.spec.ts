import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { StoreUnavailableError } from '../../lib/backend/errors.js';
import { connect, makeClient } from '../../lib/backend/redis/redis-clients.js';
import { RedisConnection } from '../../lib/backend/redis/redis-connection.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
import { RedisSchedules } from '../../lib/backend/redis/redis-schedules.js';
import { redisTarget } from '../../lib/backend/redis/redis-target.js';
import type { Advance } from '../../lib/backend/schedule-store.js';
import { eventually } from '../support/app.js';
import { SlotMover } from '../support/redis-cluster.js';
import { settings } from './conformance/setup.js';

const open: RedisConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

let mover: SlotMover;
beforeAll(() => {
  mover = new SlotMover(process.env.TEST_REDIS_CLUSTER_URL!);
});
afterAll(() => mover.close());

/** Schedules on a cluster, with two queues in one slot and one in another; those of `silent` give no answer. */
async function setup() {
  const target = redisTarget({ url: process.env.TEST_REDIS_CLUSTER_URL! });
  const client = makeClient(target) as Cluster;
  await connect(client, target);
  const keys = new RedisKeys('slots');
  const connection = new RedisConnection(client, keys, 30_000, 'sharded');
  open.push(connection);
  const calls: string[] = [];
  const silent = new Set<string>();
  const run = connection.run.bind(connection);
  connection.run = (script, queues, ...rest) => {
    calls.push(`${script} ${queues.length}`);
    if (queues.some((queue) => silent.has(queue)))
      return Promise.reject(new StoreUnavailableError('silence', true));
    return run(script, queues, ...rest);
  };
  const tag = randomUUID();
  const [x, y] = [`{${tag}}.x`, `{${tag}}.y`];
  let z = '';
  while (z === '' || keys.slot(z) === keys.slot(x)) z = `q-${randomUUID()}`;
  const schedules = new RedisSchedules(connection, settings);
  const versions = new Map<string, number>();
  const put = async (queue: string, id: string, nextSlot: number) => {
    const schedule = { queue, id, nextSlot, job: 'Job', rule: 'r', template: '{}', isDeclared: true };
    await schedules.put(schedule, 'absent');
    versions.set(queue, (await schedules.get({ queue, id }))!.version);
  };
  const step = (queue: string, id: string, slot: number): Advance => ({
    ...{ queue, id, slot, version: versions.get(queue)!, passes: slot, nextSlot: slot + 1 },
    ...{ overlap: 'queue', skipped: 0 },
  });
  const due = (...queues: string[]) => schedules.due(queues.map((queue) => ({ queue, skip: 0 })));
  return { schedules, keys, calls, silent, put, step, due, x, y, z };
}

describe('Schedules in several slots of a cluster', () => {
  it('are asked for by one call for each slot', async () => {
    const { schedules, put, due, calls, x, y, z } = await setup();
    await put(x, 'third', 3);
    await put(y, 'first', 1);
    await put(z, 'second', 2);
    calls.length = 0;
    const answer = await due(x, z, y);
    expect(answer.schedules.map(({ queue, id }) => [queue, id])).toEqual([
      [y, 'first'],
      [z, 'second'],
      [x, 'third'],
    ]);
    expect(answer).not.toHaveProperty('unanswered');
    expect(calls.toSorted()).toEqual(['due 1', 'due 2']);
    const rest = await schedules.due([
      { queue: x, skip: 1 },
      { queue: y, skip: 0 },
      { queue: z, skip: 1 },
    ]);
    expect(rest.schedules).toMatchObject([{ queue: y, id: 'first' }]);
  });

  it('come page by page, and none of a queue is told before those that stand before it', async () => {
    const { schedules, put, x, z } = await setup();
    for (const queue of [x, z])
      for (let from = 0; from < 600; from += 100)
        await Promise.all(Array.from({ length: 100 }, (_, n) => put(queue, `s${from + n}`, 1 + (n % 3))));
    // These stand behind the others now, at an earlier slot.
    const seen = Array.from({ length: 20 }, (_, n) => ({ queue: x, id: `s${n * 3}`, nextSlot: 1 }));
    await schedules.defer(seen, 0);
    const found = { [x]: new Set<string>(), [z]: new Set<string>() };
    const pages: number[] = [];
    for (let nextInMs = 0; nextInMs === 0 && pages.length < 9;) {
      const asked = Object.entries(found).map(([queue, { size }]) => ({ queue, skip: size }));
      const page = await schedules.due(asked);
      for (const { queue, id } of page.schedules) found[queue]!.add(id);
      pages.push(page.schedules.length);
      nextInMs = page.nextInMs;
    }
    expect(pages).toEqual([1_000, 200]);
    expect([found[x]!.size, found[z]!.size]).toEqual([600, 600]);
  });

  it('say when to look again, whichever slot comes first', async () => {
    const { schedules, put, due, x, z } = await setup();
    const now = await schedules.now(z);
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    await put(x, 'later', now + 7_200_000);
    await put(z, 'sooner', now + 3_600_000);
    const { nextInMs } = await due(x, z);
    expect(nextInMs).toBeGreaterThan(3_500_000);
    expect(nextInMs).toBeLessThanOrEqual(3_600_000);
  });

  it('are found where another part is silent, whose queues are named', async () => {
    const { put, due, silent, x, y, z } = await setup();
    for (const queue of [x, y, z]) await put(queue, 'a', 1);
    silent.add(x);
    const { schedules: found, unanswered } = await due(x, y, z);
    expect(found).toMatchObject([{ queue: z }]);
    expect(unanswered).toMatchObject([
      { queue: x, reason: { message: 'silence' } },
      { queue: y, reason: { message: 'silence' } },
    ]);
    silent.add(z);
    await expect(due(x, y, z)).rejects.toThrow('silence');
  });

  it('are moved on at the same time, each answer in its place, also where a part is silent', async () => {
    const { schedules, put, step, silent, calls, x, y, z } = await setup();
    for (const queue of [x, y, z]) await put(queue, 'a', 1);
    calls.length = 0;
    const steps = [step(x, 'a', 1), step(z, 'a', 1), step(y, 'a', 9), step(x, 'a', 2)];
    const moved = ['advanced', 'advanced', 'lost', 'advanced'];
    expect((await schedules.advance(steps)).map(({ status }) => status)).toEqual(moved);
    expect(calls.toSorted()).toEqual(['advance 1', 'advance 2']);
    silent.add(z);
    const next = [step(z, 'a', 2), step(x, 'a', 3)];
    expect(await schedules.advance(next)).toMatchObject([
      { status: 'unanswered', reason: { message: 'silence' } },
      { status: 'advanced' },
    ]);
    silent.clear();
    expect(await schedules.get({ queue: z, id: 'a' })).toMatchObject({ nextSlot: 2 });
  });

  it('are declared and deferred where another part is silent, and that is said', async () => {
    const { schedules, put, due, silent, x, z } = await setup();
    for (const queue of [x, z]) await put(queue, 'a', 1);
    const before = (await schedules.get({ queue: z, id: 'a' }))!.declaredAt!;
    await eventually(async () => (await schedules.now(z)) > before);
    silent.add(x);
    const seen = [x, z].map((queue) => ({ queue, id: 'a', nextSlot: 1 }));
    await expect(schedules.declare(seen)).rejects.toThrow('silence');
    expect((await schedules.get({ queue: z, id: 'a' }))!.declaredAt).toBeGreaterThan(before);
    await expect(schedules.defer(seen, 60_000)).rejects.toThrow('silence');
    silent.clear();
    expect((await due(x, z)).schedules).toMatchObject([{ queue: x }]);
    await schedules.remove(seen[1]!);
    expect(await schedules.declare(seen)).toEqual([seen[1]]);
  });

  it('stay as they are while their slot moves', async () => {
    const { schedules, put, step, due, keys, x } = await setup();
    await put(x, 'a', 1);
    await mover.whileMoving(keys.slot(x), async () => {
      expect(await schedules.advance([step(x, 'a', 1)])).toMatchObject([
        { status: 'unanswered', reason: { sent: false } },
      ]);
      await expect(due(x)).rejects.toMatchObject({ sent: false });
    });
    expect(await schedules.get({ queue: x, id: 'a' })).toMatchObject({ nextSlot: 1 });
    expect(await schedules.advance([step(x, 'a', 1)])).toEqual([{ status: 'advanced' }]);
  });
});
