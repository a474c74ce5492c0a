import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis, type Cluster } from 'ioredis';
import { Job, type Task } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { clusterClient, nodesOf, slotOfQueue } from '../support/redis-cluster.js';
import { startOwnRedisCluster } from '../support/servers/redis-cluster.mjs';
import { countingJobs, namedQueues, type CountingJob } from './fixtures/counting-jobs.js';
import { gate } from './fixtures/gate.js';

// A cluster of its own: what happens to its nodes must not disturb other tests.
const slow = 60_000;
let cluster: Awaited<ReturnType<typeof startOwnRedisCluster>>;
let admin: Cluster;
let nodes: Redis[];
beforeAll(async () => {
  cluster = await startOwnRedisCluster();
  admin = clusterClient(cluster.url);
  nodes = nodesOf(cluster.url).map(({ host, port }) => new Redis(port, host));
}, slow);
afterAll(async () => {
  admin.disconnect();
  for (const node of nodes) node.disconnect();
  await cluster.stop();
});

const prefixed = () => ({ backend: cluster.url, prefix: `t${randomUUID().slice(0, 8)}` });

/** A queue on each node, in the order of the nodes. */
async function queuePerNode(): Promise<string[]> {
  const queues: string[] = [];
  while (queues.filter(Boolean).length < nodes.length) {
    const [queue] = namedQueues(1) as [string];
    const slot = await slotOfQueue(admin, queue);
    const ranges = await nodes[0]!.cluster('SLOTS');
    const owner = ranges.find(([from, to]) => from <= slot && slot <= to)![2]!;
    queues[nodes.findIndex(({ options }) => options.port === owner[1])] ??= queue;
  }
  return queues;
}

/** Stops a node of this cluster for as long as `meanwhile` takes. */
async function whileStopped(node: Redis, meanwhile: () => Promise<void>): Promise<void> {
  const pid = Number(/process_id:(\d+)/.exec(await node.info('server'))![1]);
  process.kill(pid, 'SIGSTOP');
  try {
    await meanwhile();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

describe('A node of a Redis cluster', () => {
  it(
    'that is stopped stops its own queues alone; they go on when it is back',
    async () => {
      const queues = await queuePerNode();
      const runs: string[] = [];
      const jobs = countingJobs(queues, runs) as [CountingJob, CountingJob, CountingJob];
      const end = gate();
      let hasBegun = false;
      @Job({ queue: queues[0], name: 'Long', keep: '1h' })
      class Long {
        async run(_: void, _task: Task): Promise<void> {
          hasBegun = true;
          await end.opened;
        }
      }
      const app = await startApp({
        providers: [...jobs, Long],
        options: { ...prefixed(), enqueueTimeout: '2s', runner: { lease: '10m', pollInterval: '500ms' } },
        realTime: true,
      });
      const { id } = await app.jobs.enqueue(Long);
      await eventually(() => hasBegun);
      await app.jobs.enqueue(jobs[0], 1, { in: '1s' });
      await whileStopped(nodes[0]!, async () => {
        end.open();
        const refused = app.jobs.enqueue(jobs[0], 2);
        const served = [app.jobs.enqueue(jobs[1], 3), app.jobs.enqueue(jobs[2], 3)];
        await expect(Promise.all(served)).resolves.toHaveLength(2);
        await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^ENQUEUE_/) });
        await eventually(() => runs.length === 2);
        // Only the first call had to wait for the silent node.
        const longestMs: number[] = [];
        for (let n = 4; n < 24; n++) {
          const from = performance.now();
          await Promise.all([app.jobs.enqueue(jobs[1], n), app.jobs.enqueue(jobs[2], n)]);
          await eventually(() => runs.length === 2 * (n - 2));
          longestMs.push(performance.now() - from);
        }
        expect(longestMs.filter((ms) => ms > 4_000).length).toBeLessThanOrEqual(1);
        expect(runs).not.toContain(`${queues[0]} 1`);
      });
      await eventually(() => runs.includes(`${queues[0]} 1`));
      await eventually(
        async () => (await app.catalog.task({ queue: queues[0]!, id }))?.state === 'succeeded',
      );
      await app.jobs.enqueue(jobs[0], 100);
      await eventually(() => runs.includes(`${queues[0]} 100`));
      expect(runs).toHaveLength(new Set(runs).size);
    },
    3 * slow,
  );

  it(
    'that cuts its listeners off is listened to again',
    async () => {
      const queues = await queuePerNode();
      const runs: string[] = [];
      const jobs = countingJobs(queues, runs);
      const options = prefixed();
      await startApp({
        providers: jobs,
        options: { ...options, runner: { pollInterval: '1h' } },
        realTime: true,
      });
      const web = await startApp({ options: { ...options, runner: false }, realTime: true });
      const isHeard = async (queue: string, index: number) => {
        const channel = `${options.prefix}:{${queue}}:bell`;
        return Number(((await nodes[index]!.call('PUBSUB', 'SHARDNUMSUB', channel)) as unknown[])[1]) > 0;
      };
      for (let round = 0; round < 3; round++) {
        for (const [index, queue] of queues.entries()) await eventually(() => isHeard(queue, index));
        for (const job of jobs) await web.jobs.enqueue(job, round);
        await eventually(() => runs.length === (round + 1) * queues.length);
        for (const queue of queues)
          await eventually(async () => (await web.catalog.counts(queue)).pending === 0);
        for (const node of nodes) await node.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      }
    },
    2 * slow,
  );

  it(
    'that cuts everyone off under load costs no task: what it did without a word is found and handed back',
    async () => {
      const queues = await queuePerNode();
      const runs: string[] = [];
      const jobs = countingJobs(queues, runs);
      const app = await startApp({
        providers: jobs,
        // A claim that were sent a second time would keep its first tasks for as long as their lease.
        options: { ...prefixed(), enqueueTimeout: '30s', runner: { lease: '30m', pollInterval: '200ms' } },
        realTime: true,
      });
      const wanted: string[] = [];
      for (let round = 0; round < 20; round++) {
        const enqueued = jobs.flatMap((job, index) =>
          Array.from({ length: 20 }, (_, n) => {
            wanted.push(`${queues[index]} ${round * 20 + n}`);
            return app.jobs.enqueue(job, round * 20 + n);
          }),
        );
        for (const node of nodes) await node.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        await Promise.all(enqueued);
      }
      await eventually(() => new Set(runs).size === wanted.length, slow);
      for (const queue of queues)
        await eventually(async () => {
          const { waiting, pending, dead } = await app.catalog.counts(queue);
          return waiting + pending + dead === 0;
        });
    },
    3 * slow,
  );

  it('is spoken to by two connections, whatever the number of queues', async () => {
    const idsAt = async (node: Redis) =>
      Array.from(String(await node.client('LIST')).matchAll(/^id=(\d+)/gm), ([, id]) => Number(id));
    const latest = await Promise.all(nodes.map(async (node) => Math.max(...(await idsAt(node)))));
    const queues = namedQueues(30);
    const runs: string[] = [];
    const jobs = countingJobs(queues, runs);
    const app = await startApp({ providers: jobs, options: prefixed(), realTime: true });
    await Promise.all(jobs.map((job) => app.jobs.enqueue(job, 1)));
    await eventually(() => runs.length === queues.length);
    for (const [index, node] of nodes.entries())
      // One that asks where the slots are comes and goes.
      await eventually(async () => (await idsAt(node)).filter((id) => id > latest[index]!).length === 2);
  });

  it(
    'that does not serve a slot for a while is asked again: the enqueue waits, the runner goes on',
    async () => {
      const queues = await queuePerNode();
      const runs: string[] = [];
      const jobs = countingJobs(queues, runs) as [CountingJob, CountingJob, CountingJob];
      const app = await startApp({
        providers: jobs,
        options: { ...prefixed(), enqueueTimeout: '30s', runner: { pollInterval: '200ms' } },
        realTime: true,
      });
      const slot = await slotOfQueue(admin, queues[0]!);
      await nodes[0]!.cluster('DELSLOTS', slot);
      const enqueued = app.jobs.enqueue(jobs[0], 1);
      for (let n = 0; n < 20; n++) {
        await app.jobs.enqueue(jobs[1], n);
        await eventually(() => runs.length === n + 1);
      }
      expect(runs).not.toContain(`${queues[0]} 1`);
      await nodes[0]!.cluster('ADDSLOTS', slot);
      await expect(enqueued).resolves.toMatchObject({ status: 'enqueued' });
      await eventually(() => runs.includes(`${queues[0]} 1`));
      expect(runs).toHaveLength(21);
    },
    2 * slow,
  );

  it('whose memory is full refuses an enqueue at once, and says why', async () => {
    const queues = await queuePerNode();
    const jobs = countingJobs(queues, []) as [CountingJob, CountingJob, CountingJob];
    const app = await startApp({
      options: { ...prefixed(), enqueueTimeout: '10m', runner: false },
      realTime: true,
    });
    await nodes[0]!.config('SET', 'maxmemory', '1');
    try {
      await expect(app.jobs.enqueue(jobs[0], 1)).rejects.toMatchObject({
        code: 'ENQUEUE_FAILED',
        message: expect.stringContaining('OOM'),
      });
      await expect(app.jobs.enqueue(jobs[1], 1)).resolves.toMatchObject({ status: 'enqueued' });
    } finally {
      await nodes[0]!.config('SET', 'maxmemory', '0');
    }
  });
});
