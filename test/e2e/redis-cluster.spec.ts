import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { CrossSlotError } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { countingJobs, namedQueues, type CountingJob } from './fixtures/counting-jobs.js';
import { clusterClient, slotOfQueue, SlotMover } from '../support/redis-cluster.js';

const url = process.env.TEST_REDIS_CLUSTER_URL!;
const slow = 60_000;
let admin: Cluster;
let mover: SlotMover;
beforeAll(() => {
  admin = clusterClient(url);
  mover = new SlotMover(url);
});
afterAll(() => {
  admin.disconnect();
  mover.close();
});

const prefixed = () => ({ backend: url, prefix: `t${randomUUID().slice(0, 8)}` });

describe('An application on a Redis cluster', () => {
  it('runs the tasks of queues that lie in several slots, each once', async () => {
    const queues = namedQueues(8);
    expect(new Set(await Promise.all(queues.map((queue) => slotOfQueue(admin, queue)))).size).toBeGreaterThan(
      1,
    );
    const runs: string[] = [];
    const jobs = countingJobs(queues, runs);
    const app = await startApp({ providers: jobs, options: prefixed(), realTime: true });
    const wanted: string[] = [];
    await Promise.all(
      jobs.flatMap((job, index) =>
        Array.from({ length: 50 }, (_, n) => {
          wanted.push(`${queues[index]} ${n}`);
          return app.jobs.enqueue(job, n, n % 5 === 0 ? { in: '50ms' } : {});
        }),
      ),
    );
    await eventually(() => runs.length >= wanted.length);
    expect(runs.toSorted()).toEqual(wanted.toSorted());
    for (const queue of queues) await eventually(async () => (await app.catalog.counts(queue)).pending === 0);
  });

  it(
    'loses no task and runs each once while the slots of its queues move from node to node',
    async () => {
      const queues = namedQueues(3);
      const runs: string[] = [];
      const jobs = countingJobs(queues, runs);
      const app = await startApp({
        providers: jobs,
        options: { ...prefixed(), enqueueTimeout: '30s', runner: { pollInterval: '500ms' } },
        realTime: true,
      });
      const wanted: string[] = [];
      let isMoving = true;
      const enqueueing = (async () => {
        for (let n = 0; isMoving; n++) {
          await Promise.all(jobs.map((job) => app.jobs.enqueue(job, n, n % 7 === 0 ? { in: '20ms' } : {})));
          wanted.push(...queues.map((queue) => `${queue} ${n}`));
        }
      })();
      // Three times on is once round: the cluster is left as it was found.
      for (let moves = 0; moves < 3; moves++) {
        for (const queue of queues) {
          const before = runs.length;
          await mover.moveOn(await slotOfQueue(admin, queue));
          await eventually(() => runs.length > before);
        }
      }
      isMoving = false;
      await enqueueing;
      expect(wanted.length).toBeGreaterThan(9);
      await eventually(() => runs.length >= wanted.length);
      for (const queue of queues)
        await eventually(async () => {
          const { waiting, scheduled, pending, dead } = await app.catalog.counts(queue);
          return waiting + scheduled + pending + dead === 0;
        });
      expect(runs.toSorted()).toEqual(wanted.toSorted());
    },
    3 * slow,
  );

  it('refuses a bulk whose queues lie in several slots, stores nothing of it, and harms no other', async () => {
    const queues = namedQueues(2);
    const [first, second] = countingJobs(queues, []);
    const app = await startApp({ options: { ...prefixed(), runner: false }, realTime: true });
    const bulk = app.jobs.bulk((bulk) => {
      bulk.enqueue(first!, 1);
      bulk.enqueue(second!, 2);
    });
    const other = app.jobs.enqueue(first!, 3);
    await expect(bulk).rejects.toBeInstanceOf(CrossSlotError);
    await expect(bulk).rejects.toMatchObject({ code: 'CROSS_SLOT', queues });
    await expect(bulk).rejects.toThrow(/hash tag, as in \{mail\}\.high/);
    await expect(other).resolves.toMatchObject({ status: 'enqueued' });
    expect(await app.catalog.counts(queues[0]!)).toMatchObject({ waiting: 1 });
    expect(await app.catalog.counts(queues[1]!)).toMatchObject({ waiting: 0 });
  });

  it('stores a bulk whose queues have a common hash tag, in one step', async () => {
    const tag = randomUUID();
    const queues = [`{${tag}}.high`, `{${tag}}.low`];
    const runs: string[] = [];
    const [high, low] = countingJobs(queues, runs);
    const app = await startApp({ providers: [high!, low!], options: prefixed(), realTime: true });
    const enqueued = await app.jobs.bulk((bulk) => {
      for (let n = 0; n < 10; n++) {
        bulk.enqueue(high!, n);
        bulk.enqueue(low!, n);
      }
    });
    expect(enqueued.map(({ status }) => status)).toEqual(Array(20).fill('enqueued'));
    await eventually(() => runs.length >= 20);
    expect(new Set(runs).size).toBe(20);
  });

  it(
    'is woken by the bell of another application, also after its slot has moved',
    async () => {
      const [queue] = namedQueues(1) as [string];
      const runs: string[] = [];
      const [job] = countingJobs([queue], runs) as [CountingJob];
      const options = prefixed();
      const worker = { ...options, runner: { pollInterval: '1h' } };
      const listening = async () => {
        const nodes = await Promise.all(
          admin.nodes('master').map((node) => node.call('PUBSUB', 'SHARDNUMSUB', channel)),
        );
        return nodes.some((answer) => Number((answer as [string, number])[1]) > 0);
      };
      const channel = `${options.prefix}:{${queue}}:bell`;
      await startApp({ providers: [job], options: worker, realTime: true });
      const web = await startApp({ options: { ...options, runner: false }, realTime: true });
      for (let move = 0; move < 4; move++) {
        if (move > 0) await mover.moveOn(await slotOfQueue(admin, queue));
        // At the moment of the move the old subscription ends with the slot.
        await eventually(listening);
        await eventually(async () => (await web.catalog.counts(queue)).pending === 0);
        await web.jobs.enqueue(job, move);
        await eventually(() => runs.length === move + 1);
      }
    },
    2 * slow,
  );
});
