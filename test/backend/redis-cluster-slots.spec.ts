import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster } from 'ioredis';
import type { Claim, ClaimRequest } from '../../lib/backend/backend.js';
import { CrossSlotError } from '../../lib/backend/errors.js';
import { connect, makeClient } from '../../lib/backend/redis/redis-clients.js';
import { RedisClusterTasks } from '../../lib/backend/redis/redis-cluster-tasks.js';
import { RedisConnection } from '../../lib/backend/redis/redis-connection.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
import { redisTarget } from '../../lib/backend/redis/redis-target.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { SlotMover } from '../support/redis-cluster.js';
import { leaseOf, settings, success } from './conformance/setup.js';

const open: RedisConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

let mover: SlotMover;
beforeAll(() => {
  mover = new SlotMover(process.env.TEST_REDIS_CLUSTER_URL!);
});
afterAll(() => mover.close());

/** The hot path on a cluster, with queues each in a slot of its own, and the script calls that it makes. */
async function setup(count = 3) {
  const target = redisTarget({ url: process.env.TEST_REDIS_CLUSTER_URL! });
  const client = makeClient(target) as Cluster;
  await connect(client, target);
  const keys = new RedisKeys('slots');
  const connection = new RedisConnection(client, keys, 30_000, 'sharded');
  open.push(connection);
  const calls: string[] = [];
  const run = connection.run.bind(connection);
  connection.run = (script, ...rest) => {
    calls.push(script);
    return run(script, ...rest);
  };
  const queues: string[] = [];
  while (queues.length < count) {
    const queue = `q-${randomUUID()}`;
    if (queues.every((other) => keys.slot(other) !== keys.slot(queue))) queues.push(queue);
  }
  const tasks = new RedisClusterTasks(connection, settings);
  const task = (queue: string, fields: Partial<NewTask> = {}): NewTask => {
    const id = randomUUID();
    return {
      queue,
      id,
      token: id,
      job: 'Job',
      params: '{}',
      priority: 0,
      due: { inMs: 0 },
      retries: 0,
      ...fields,
    };
  };
  /** So many tasks in each queue. */
  const fill = (...sizes: number[]) =>
    tasks.add(sizes.map((size, index) => Array.from({ length: size }, () => task(queues[index]!))));
  const claim = (limit: number, request: Partial<ClaimRequest> = {}): Promise<Claim> =>
    tasks.claim({
      queues: queues.map((queue) => ({ queue, limit: 1_000 })),
      limit,
      leaseMs: 60_000,
      runner: 'runner-1',
      ...request,
    });
  const sizes = ({ tasks: claimed }: Claim) =>
    queues.map((queue) => claimed.filter((one) => one.queue === queue).length);
  return { tasks, queues, keys, calls, task, fill, claim, sizes };
}

describe('Queues in several slots of a cluster', () => {
  it('share the limit of a claim evenly', async () => {
    const { fill, claim, sizes, calls } = await setup();
    await fill(10, 10, 10);
    calls.length = 0;
    expect(sizes(await claim(9))).toEqual([3, 3, 3]);
    expect(calls).toEqual(['exchange', 'exchange', 'exchange']);
  });

  it('take what others leave over, never more than the limit in all, and no more than their own', async () => {
    const { fill, claim, sizes, queues } = await setup();
    await fill(1, 10, 0);
    expect(sizes(await claim(7))).toEqual([1, 6, 0]);
    await fill(20, 20, 20);
    const limited = await claim(11, { queues: queues.map((queue, index) => ({ queue, limit: index + 1 })) });
    expect(sizes(limited)).toEqual([1, 2, 3]);
    expect((await claim(5)).tasks).toHaveLength(5);
  });

  it('have their turn one after the other where the limit is one', async () => {
    const { fill, claim, sizes, calls } = await setup();
    await fill(5, 5, 5);
    calls.length = 0;
    const taken = [0, 0, 0];
    for (let n = 0; n < 6; n++) sizes(await claim(1)).forEach((size, index) => (taken[index]! += size));
    expect(taken).toEqual([2, 2, 2]);
    // A slot for which nothing is left is not asked.
    expect(calls).toHaveLength(6);
  });

  it('are all found by a limit of one, whichever has the task', async () => {
    const { fill, claim, sizes } = await setup(6);
    for (let n = 0; n < 6; n++) {
      await fill(0, 0, 0, 1);
      expect(sizes(await claim(1))).toEqual([0, 0, 0, 1, 0, 0]);
    }
  });

  it('say each when to look again', async () => {
    const { tasks, task, claim, queues } = await setup();
    await tasks.add([[task(queues[0]!)], [task(queues[1]!, { due: { inMs: 60_000 } })]]);
    const looks = (await claim(0)).nextInMs;
    expect(looks).toEqual([0, expect.any(Number), Infinity]);
    expect(looks[1]).toBeGreaterThan(30_000);
  });

  it('get outcomes and the next claim in one call each', async () => {
    const { tasks, fill, claim, calls, queues } = await setup();
    await fill(2, 2, 2);
    const first = await claim(3);
    calls.length = 0;
    const settling = tasks.settle(first.tasks.map((one) => ({ ...leaseOf(one), outcome: success })));
    const claiming = claim(3);
    expect(await settling).toEqual(['settled', 'settled', 'settled']);
    expect((await claiming).tasks).toHaveLength(3);
    expect(calls).toEqual(queues.map(() => 'exchange'));
  });

  it('are left alone while their slot moves, also where every key of a script is still there', async () => {
    const { tasks, task, claim, queues, keys } = await setup(1);
    const [queue] = queues as [string];
    // Something waits, is scheduled and pending: the exchange below empties `pending` before it writes to it again.
    await tasks.add([[task(queue)], [task(queue)], [task(queue, { due: { inMs: 60_000 } })]]);
    const [first] = (await claim(1)).tasks;
    await mover.whileMoving(keys.slot(queue), async () => {
      const settling = tasks.settle([{ ...leaseOf(first!), outcome: success }]);
      const claiming = claim(1);
      expect(await settling).toEqual(['unanswered']);
      // Refused before its first step.
      expect(await claiming).toMatchObject({ tasks: [], unanswered: [{ queue, reason: { sent: false } }] });
    });
    expect(await tasks.settle([{ ...leaseOf(first!), outcome: success, repeat: true }])).toEqual(['settled']);
    expect((await claim(9)).tasks).toHaveLength(1);
  });

  it('are renewed and settled together, each answer in its place', async () => {
    const { tasks, fill, claim } = await setup();
    await fill(1, 1, 1);
    const [a, b, c] = (await claim(3)).tasks.map(leaseOf);
    const stale = { ...b!, epoch: b!.epoch - 1 };
    expect(await tasks.renew([a!, stale, c!], 60_000)).toEqual({ lost: [stale], cancelled: [] });
    const settled = await tasks.settle([a!, stale, c!].map((lease) => ({ ...lease, outcome: success })));
    expect(settled).toEqual(['settled', 'lost', 'settled']);
  });

  it('cannot share a group, which is refused; groups beside it are stored', async () => {
    const { tasks, task, claim, sizes, queues } = await setup(2);
    const [first, second] = queues as [string, string];
    const added = await tasks.add([
      [task(first)],
      [task(first), task(second)],
      [],
      [task(second), task(second)],
    ]);
    expect(added).toEqual([
      [{ status: 'enqueued' }],
      expect.any(CrossSlotError),
      [],
      [{ status: 'enqueued' }, { status: 'enqueued' }],
    ]);
    expect(sizes(await claim(100))).toEqual([1, 2]);
  });
});
