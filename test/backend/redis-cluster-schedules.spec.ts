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
import { SlotMover } from '../support/redis-cluster.js';
import { settings } from './conformance/setup.js';

const open: RedisConnection[] = [];
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
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
  const put = (queue: string, id: string, nextSlot: number) =>
    schedules.put({ queue, id, nextSlot, job: 'Job', rule: 'r', template: '{}', isDeclared: true }, 'always');
  const step = (queue: string, id: string, slot: number): Advance => ({
    ...{ queue, id, slot, nextSlot: slot + 1, overlap: 'queue', skipped: 0 },
  });
  return { schedules, keys, calls, silent, put, step, x, y, z };
}

describe('Schedules in several slots of a cluster', () => {
  it('are asked for by one call for each slot', async () => {
    const { schedules, put, calls, x, y, z } = await setup();
    await put(x, 'third', 3);
    await put(y, 'first', 1);
    await put(z, 'second', 2);
    calls.length = 0;
    const due = await schedules.due([x, z, y], Infinity);
    expect(due.schedules.map(({ queue, id }) => [queue, id])).toEqual([
      [y, 'first'],
      [z, 'second'],
      [x, 'third'],
    ]);
    expect(due).not.toHaveProperty('unanswered');
    expect(calls.toSorted()).toEqual(['due 1', 'due 2']);
  });

  it('say when to look again, whichever slot comes first', async () => {
    const { schedules, put, x, z } = await setup();
    const now = await schedules.now(z);
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    await put(x, 'later', now + 7_200_000);
    await put(z, 'sooner', now + 3_600_000);
    const { nextInMs } = await schedules.due([x, z], Infinity);
    expect(nextInMs).toBeGreaterThan(3_500_000);
    expect(nextInMs).toBeLessThanOrEqual(3_600_000);
  });

  it('are found where another part is silent, whose queues are named', async () => {
    const { schedules, put, silent, x, y, z } = await setup();
    for (const queue of [x, y, z]) await put(queue, 'a', 1);
    silent.add(x);
    const { schedules: due, unanswered } = await schedules.due([x, y, z], Infinity);
    expect(due).toMatchObject([{ queue: z }]);
    expect(unanswered).toMatchObject([
      { queue: x, reason: { message: 'silence' } },
      { queue: y, reason: { message: 'silence' } },
    ]);
    silent.add(z);
    await expect(schedules.due([x, y, z], Infinity)).rejects.toThrow('silence');
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
    const { schedules, put, silent, x, z } = await setup();
    for (const queue of [x, z]) await put(queue, 'a', 1);
    silent.add(x);
    const seen = [x, z].map((queue) => ({ queue, id: 'a', nextSlot: 1 }));
    await expect(schedules.defer(seen, 60_000)).rejects.toThrow('silence');
    silent.clear();
    expect((await schedules.due([x, z], Infinity)).schedules).toMatchObject([{ queue: x }]);
  });

  it('stay as they are while their slot moves', async () => {
    const { schedules, put, step, keys, x } = await setup();
    await put(x, 'a', 1);
    await mover.whileMoving(keys.slot(x), async () => {
      expect(await schedules.advance([step(x, 'a', 1)])).toMatchObject([
        { status: 'unanswered', reason: { sent: false } },
      ]);
      await expect(schedules.due([x], 0)).rejects.toMatchObject({ sent: false });
    });
    expect(await schedules.get({ queue: x, id: 'a' })).toMatchObject({ nextSlot: 1 });
    expect(await schedules.advance([step(x, 'a', 1)])).toEqual([{ status: 'advanced' }]);
  });
});
