import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { StoreUnavailableError } from '../../lib/backend/errors.js';
import { connect, makeClient } from '../../lib/backend/redis/redis-clients.js';
import { RedisConnection } from '../../lib/backend/redis/redis-connection.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
import { RedisSchedules } from '../../lib/backend/redis/redis-schedules.js';
import { redisTarget } from '../../lib/backend/redis/redis-target.js';
import type { Advance, NewSchedule } from '../../lib/backend/schedule-store.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { settings } from './conformance/setup.js';

let admin: Redis;
let url: string;
beforeAll(async () => {
  // Commands are counted, so nobody else may give some.
  ({ url } = await ownRedis());
  admin = adminOf(url);
});

const open: RedisConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

/** Schedules on a server, and the script calls that they make; a test may have some of them fail. */
async function setup() {
  const target = redisTarget({ url });
  const client = makeClient(target) as Redis;
  // As patient as the connection below: a loaded machine may leave a thousand calls at once without an answer for a while.
  client.options.socketTimeout = 30_000;
  await connect(client, target);
  const connection = new RedisConnection(client, new RedisKeys('schedules'), 30_000, 'plain');
  open.push(connection);
  const calls: string[] = [];
  const failures: (Error | undefined)[] = [];
  const run = connection.run.bind(connection);
  connection.run = (script, ...rest) => {
    calls.push(script);
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : run(script, ...rest);
  };
  const queue = `q-${randomUUID()}`;
  const schedules = new RedisSchedules(connection, settings);
  const versions = new Map<string, number>();
  const put = async (id: string, nextSlot: number, fields: Partial<NewSchedule> = {}) => {
    const schedule = { queue, id, nextSlot, job: 'Job', rule: 'r', template: '{}', isDeclared: false };
    await schedules.put({ ...schedule, ...fields }, 'absent');
    versions.set(id, (await schedules.get({ queue, id }))!.version);
  };
  const step = (id: string, slot: number, fields: Partial<Advance> = {}): Advance => ({
    ...{ queue, id, slot, version: versions.get(id)!, passes: slot, nextSlot: slot + 1 },
    ...{ overlap: 'queue', skipped: 0, ...fields },
  });
  const due = (skip = 0) => schedules.due([{ queue, skip }]);
  return { connection, schedules, queue, put, step, due, calls, failures };
}

/** How often the server does each command while `act` goes on, within scripts and without. */
async function commandsDuring(act: () => Promise<unknown>): Promise<Record<string, number>> {
  await admin.config('RESETSTAT');
  await act();
  const stats = (await admin.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g);
  const counts = Array.from(stats, ([, command, calls]): [string, number] => [command!, Number(calls)]);
  return Object.fromEntries(counts.filter(([command]) => !/^(config|info)/.test(command)));
}

describe('A look at the schedules of many queues in Redis', () => {
  it('is one call, with one command for each queue that has none', async () => {
    const { schedules, calls } = await setup();
    const queues = Array.from({ length: 20 }, () => ({ queue: `q-${randomUUID()}`, skip: 0 }));
    await schedules.due(queues);
    calls.length = 0;
    const commands = await commandsDuring(() => schedules.due(queues));
    expect(calls).toEqual(['due']);
    expect(commands).toEqual({ evalsha: 1, time: 1, zrange: 20 });
  });

  it('costs two commands for a queue with 10,000 of which none is due', async () => {
    const { schedules, put, due, queue } = await setup();
    const later = Date.now() + 3_600_000;
    for (let turn = 0; turn < 10; turn++)
      await Promise.all(Array.from({ length: 1_000 }, (_, n) => put(`s${turn * 1_000 + n}`, later + n)));
    await due();
    expect(await commandsDuring(due)).toEqual({ evalsha: 1, time: 1, zrange: 1, hget: 1 });
    const { next } = await schedules.list(queue, { limit: 5_000 });
    const listed = await commandsDuring(() => schedules.list(queue, { limit: 100, after: next }));
    expect(listed).toMatchObject({ evalsha: 1, time: 1, zcard: 1, zcount: 2, hget: 100 });
    // One for the page, and few to find its place among the ten of one slot.
    expect(listed.zrange).toBeLessThanOrEqual(1 + 4);
  });

  it('tells of large ones in several answers', async () => {
    const { put, due } = await setup();
    const slot = Date.now() - 60_000;
    const template = 'x'.repeat(400_000);
    for (let n = 0; n < 8; n++) await put(`s${n}`, slot + n, { template });
    const seen: string[] = [];
    for (let turn = 0; seen.length < 8 && turn < 8; turn++) {
      const page = await due(seen.length);
      expect(page.schedules.length).toBeLessThanOrEqual(3);
      seen.push(...page.schedules.map(({ id }) => id));
      expect(page.nextInMs).toBe(seen.length < 8 ? 0 : Infinity);
    }
    expect(seen).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']);
  });

  it('rejects where the server gives no answer', async () => {
    const { due, failures } = await setup();
    failures.push(new StoreUnavailableError('silence', true));
    await expect(due()).rejects.toThrow('silence');
  });

  it('drops a place that has no schedule', async () => {
    const { connection, schedules, put, due, queue } = await setup();
    await put('whole', Date.now() - 1_000);
    const [, , slots] = connection.keys.of(queue, 'due') as [string, string, string];
    await admin.zadd(slots, 1, 'broken');
    expect((await schedules.list(queue, { limit: 9 })).schedules).toMatchObject([{ id: 'whole' }]);
    expect((await due()).schedules).toMatchObject([{ id: 'whole' }]);
    expect(await admin.zrange(slots, '0', '-1')).toEqual(['whole']);
  });
});

describe('Steps of schedules in Redis', () => {
  it('leave a hundred at a time', async () => {
    const { schedules, put, step, calls } = await setup();
    await put('a', 1);
    calls.length = 0;
    const answers = await schedules.advance(Array.from({ length: 250 }, (_, n) => step('a', n + 1)));
    expect(answers.every(({ status }) => status === 'advanced')).toBe(true);
    expect(calls).toEqual(['advance', 'advance', 'advance']);
  });

  it('leave by the megabyte where their tasks are large, and one at a time where each is larger', async () => {
    const { schedules, put, step, queue, calls } = await setup();
    await put('a', 1);
    calls.length = 0;
    const sizes = [400_000, 400_000, 400_000, 1_200_000, 10, 10];
    const task = { queue, job: 'Job', priority: 0, due: { inMs: 0 }, retries: 0 };
    const steps = sizes.map((size, n) =>
      step('a', n + 1, { task: { ...task, id: `t${n}`, token: `t${n}`, params: 'x'.repeat(size) } }),
    );
    const answers = await schedules.advance(steps);
    expect(answers.every(({ status }) => status === 'advanced')).toBe(true);
    expect(calls).toEqual(['advance', 'advance', 'advance', 'advance']);
    expect(await schedules.get({ queue, id: 'a' })).toMatchObject({ nextSlot: 7, fired: 6, lastTask: 't5' });
  });

  it('keep the answers of other calls where one is refused', async () => {
    const { schedules, put, step, queue, failures } = await setup();
    await Promise.all(Array.from({ length: 250 }, (_, n) => put(`s${n}`, 1)));
    const refused = new Error('OOM command not allowed');
    failures.push(undefined, refused);
    const answers = await schedules.advance(Array.from({ length: 250 }, (_, n) => step(`s${n}`, 1)));
    const advanced = { status: 'advanced' };
    expect(answers.slice(0, 100)).toEqual(Array(100).fill(advanced));
    expect(answers.slice(100, 200)).toEqual(Array(100).fill({ status: 'unanswered', reason: refused }));
    expect(answers.slice(200)).toEqual(Array(50).fill(advanced));
    expect(await schedules.get({ queue, id: 's150' })).toMatchObject({ nextSlot: 1 });
  });

  it('wait for a silent server once', async () => {
    const { schedules, put, step, calls, failures } = await setup();
    await Promise.all(Array.from({ length: 250 }, (_, n) => put(`s${n}`, 1)));
    calls.length = 0;
    const reason = new StoreUnavailableError('silence', true);
    failures.push(undefined, reason);
    const answers = await schedules.advance(Array.from({ length: 250 }, (_, n) => step(`s${n}`, 1)));
    expect(answers.slice(0, 100)).toEqual(Array(100).fill({ status: 'advanced' }));
    expect(answers.slice(100)).toEqual(Array(150).fill({ status: 'unanswered', reason }));
    expect(calls).toHaveLength(2);
  });
});
