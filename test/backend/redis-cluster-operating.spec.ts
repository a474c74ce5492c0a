import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Backend } from '../../lib/backend/backend.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { RedisKeys, slotOf } from '../../lib/backend/redis/redis-keys.js';
import { eventually } from '../support/app.js';
import { SlotMover } from '../support/redis-cluster.js';
import { leaseOf, settings } from './conformance/setup.js';

// What is said at each boot is tested elsewhere.
Logger.overrideLogger(false);

const url = process.env.TEST_REDIS_CLUSTER_URL!;
let mover: SlotMover;
beforeAll(() => {
  mover = new SlotMover(url);
});
afterAll(() => mover.close());

const opened: Backend[] = [];
afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
});

/** Backends on the cluster with a prefix, and so a wire and runners, of their own; queues in as many slots. */
async function setup(count = 6) {
  const prefix = `o${randomUUID().slice(0, 8)}`;
  const keys = new RedisKeys(prefix);
  const open = async () => {
    const backend = redisBackend({ url });
    await backend.open({ ...settings, prefix });
    opened.push(backend);
    return backend;
  };
  const queues: string[] = [];
  while (queues.length < count) {
    const queue = `q-${randomUUID()}`;
    if (queues.every((other) => keys.slot(other) !== keys.slot(queue))) queues.push(queue);
  }
  return { keys, open, queues, backend: await open() };
}

const runner = {
  name: 'r',
  host: 'h',
  pid: 1,
  version: '1',
  queues: [],
  concurrency: 1,
  running: 0,
  tasks: [],
};
const nothing = { succeeded: 0, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 0, waitMs: 0 };

describe('Queues in several slots of a cluster, operated together', () => {
  it('are seen at one glance, in the order asked for', async () => {
    const { backend, queues } = await setup();
    const task = { job: 'Job', params: '{}', priority: 0, due: { inMs: 0 }, retries: 0 };
    const groups = queues.map((queue, size) =>
      Array.from({ length: size }, () => ({ ...task, queue, id: randomUUID(), token: 't' })),
    );
    await backend.tasks.add(groups);
    const asked = [...queues.toReversed(), queues[2]!];
    const glances = await backend.catalog.glance(asked);
    expect(glances.map(({ queue }) => queue)).toEqual(asked);
    expect(glances.map(({ counts }) => counts.waiting)).toEqual([5, 4, 3, 2, 1, 0, 2]);
  });

  it('get what their runs say in one call', async () => {
    const { backend, queues } = await setup(3);
    const task = { job: 'Job', params: '{}', priority: 0, due: { inMs: 0 }, retries: 0 };
    await backend.tasks.add(queues.map((queue) => [{ ...task, queue, id: 'a', token: 'a' }]));
    const { tasks } = await backend.tasks.claim({
      queues: queues.map((queue) => ({ queue, limit: 1 })),
      ...{ limit: 3, leaseMs: 60_000, runner: 'r' },
    });
    const notes = { progress: { percent: 40 }, lines: [{ at: 1, message: 'said' }] };
    await backend.tasks.annotate(tasks.map((claimed) => ({ ...leaseOf(claimed), notes })));
    for (const queue of queues) expect(await backend.catalog.get({ queue, id: 'a' })).toMatchObject(notes);
  });

  it('are counted by one report, and the runner lives', async () => {
    const { backend, queues } = await setup();
    const runs = queues.map((queue, n) => ({ ...nothing, queue, job: 'Job', succeeded: n + 1 }));
    await backend.stats.report({ runner, aliveMs: 60_000, runs, slots: [] });
    const figures = await backend.stats.jobs(queues);
    expect(figures.map(({ queue, succeeded }) => ({ queue, succeeded }))).toEqual(
      queues.map((queue, n) => ({ queue, succeeded: n + 1 })),
    );
    expect(await backend.stats.runners()).toMatchObject([{ name: 'r' }]);
    await backend.stats.leave('r');
    expect(await backend.stats.runners()).toEqual([]);
  });
});

describe('What belongs to no queue of a cluster', () => {
  it('lies in one slot where a script needs it together', async () => {
    const { keys } = await setup(0);
    const [infos, ends] = keys.runners;
    expect(new Set([infos, ends, keys.neverOfRunners].map(slotOf)).size).toBe(1);
  });

  it('is carried by the wire from node to node, also after its slot has moved', async () => {
    const { keys, backend, open } = await setup(0);
    const heard: string[] = [];
    await (await open()).events.listen((text) => heard.push(text));
    backend.events.send('one');
    await eventually(() => heard.length > 0);
    for (let moves = 0; moves < 3; moves++) {
      await mover.moveOn(slotOf(keys.events));
      await eventually(() => {
        backend.events.send(`after ${moves}`);
        return heard.includes(`after ${moves}`);
      });
    }
    expect(heard[0]).toBe('one');
  });

  it('tells of live runners also after its slot has moved', async () => {
    const { keys, backend } = await setup(0);
    await backend.stats.report({ runner, aliveMs: 60_000, runs: [], slots: [] });
    const { startedAt } = (await backend.stats.runners())[0]!;
    await mover.moveOn(slotOf(keys.runners[0]));
    await eventually(async () => (await backend.stats.runners().catch(() => [])).length === 1);
    await backend.stats.report({ runner: { ...runner, running: 1 }, aliveMs: 60_000, runs: [], slots: [] });
    expect(await backend.stats.runners()).toMatchObject([{ name: 'r', running: 1, startedAt }]);
  });
});
