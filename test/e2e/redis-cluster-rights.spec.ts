import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Job } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { settings } from '../backend/conformance/setup.js';
import { eventually, startApp } from '../support/app.js';
import { leastRights, readme } from '../support/readme.js';
import { nodesOf, SlotMover, slotOfQueue } from '../support/redis-cluster.js';
import { startOwnRedisCluster } from '../support/servers/redis-cluster.mjs';

/** The least rights on a cluster, as the manual lists them. */
const commands = leastRights(readme).cluster;

// What is said at each boot is tested elsewhere.
Logger.overrideLogger(false);

let cluster: Awaited<ReturnType<typeof startOwnRedisCluster>>;
let nodes: Redis[];
beforeAll(async () => {
  cluster = await startOwnRedisCluster();
  nodes = nodesOf(cluster.url).map(({ host, port }) => new Redis(port, host, { disconnectTimeout: 100 }));
});
afterAll(async () => {
  for (const node of nodes) node.disconnect();
  await cluster.stop();
});

/** The address as a user who may do this and nothing else, on every node. */
async function as(user: string, names: readonly string[]): Promise<string> {
  const rules = ['~jobs:*', '&jobs:*', '+info', ...names.map((name) => `+${name}`)];
  for (const node of nodes) await node.call('ACL', ['SETUSER', user, 'reset', 'on', '>p', ...rules]);
  return cluster.url.replace('://', `://${user}:p@`);
}

describe('A user with the least rights on a cluster', () => {
  it('suffices to enqueue, run, renew, list and go on when slots have moved', async () => {
    const runs: number[] = [];
    @Job({ queue: 'least', name: 'Least', retries: 0 })
    class Least {
      async run(n: number) {
        if (n === 0) await sleep(3_000);
        runs.push(n);
      }
    }
    const { jobs, catalog, lines } = await startApp({
      providers: [Least],
      // Only the bell can wake it in time.
      options: { backend: await as('least', commands), runner: { lease: '1s', pollInterval: '10m' } },
      realTime: true,
    });
    await jobs.enqueue(Least, 0);
    await eventually(() => runs.length === 1);
    const mover = new SlotMover(cluster.url);
    try {
      const slot = await slotOfQueue(nodes[0]!, 'least');
      for (let n = 1; n <= 3; n++) {
        const moving = mover.moveOn(slot);
        await jobs.enqueue(Least, n);
        await moving;
        await eventually(() => runs.includes(n));
      }
    } finally {
      mover.close();
    }
    await eventually(async () => (await catalog.counts('least')).pending === 0);
    expect(runs).toEqual([0, 1, 2, 3]);
    expect(await catalog.queueNames()).toEqual(['least']);
    expect(lines.filter(({ message }) => /NOPERM|permission/.test(message))).toEqual([]);
  });

  it.each(['spublish', 'cluster|slots'])('is told at boot where it may not call %s', async (command) => {
    const others = commands.filter((name) => name !== command);
    const backend = redisBackend({ url: await as('fewer', others) });
    try {
      await expect(backend.open(settings)).rejects.toMatchObject({
        code: 'UNUSABLE_STORE',
        message: expect.stringMatching(new RegExp(`cannot be used: .*${command.replace('|', '\\|')}`, 'i')),
      });
    } finally {
      await backend.close();
    }
  });
});
