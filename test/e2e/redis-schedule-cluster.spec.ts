import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis, type Cluster } from 'ioredis';
import { Job, type Task } from 'nestjs-jobs';
import { eventually, startApp, type TestAppOptions } from '../support/app.js';
import { clusterClient, nodesOf, slotOfQueue, SlotMover } from '../support/redis-cluster.js';
import { startOwnRedisCluster } from '../support/servers/redis-cluster.mjs';
import { namedQueues } from './fixtures/counting-jobs.js';
import { newPrefix } from './fixtures/redis-jobs.js';
import { passedSeconds, recurring, repeated, storedSlots } from './fixtures/redis-schedules.js';

const second = 1_000;
const slow = 60_000;

// A cluster of its own: what happens to its nodes must not disturb other tests.
let cluster: Awaited<ReturnType<typeof startOwnRedisCluster>>;
let admin: Cluster;
let nodes: Redis[];
let mover: SlotMover;
beforeAll(async () => {
  cluster = await startOwnRedisCluster();
  admin = clusterClient(cluster.url);
  nodes = nodesOf(cluster.url).map(({ host, port }) => new Redis(port, host));
  mover = new SlotMover(cluster.url);
}, slow);
afterAll(async () => {
  admin.disconnect();
  mover.close();
  for (const node of nodes) node.disconnect();
  await cluster.stop();
});

/** A queue on each node, in the order of the nodes. */
async function queuePerNode(): Promise<string[]> {
  const ranges = await nodes[0]!.cluster('SLOTS');
  const queues: string[] = [];
  while (queues.filter(Boolean).length < nodes.length) {
    const [queue] = namedQueues(1) as [string];
    const slot = await slotOfQueue(admin, queue);
    const [, , owner] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
    queues[nodes.findIndex(({ options }) => options.port === owner![1])] ??= queue;
  }
  return queues;
}

/** A job of a second in a queue on each node, and applications that have them all. */
async function setUp() {
  const queues = await queuePerNode();
  const prefix = newPrefix();
  const jobs = queues.map((queue, n) =>
    recurring({ queue, name: `On${n}`, missed: { all: 600 }, overlap: 'queue' }),
  );
  const start = (providers: TestAppOptions['providers'], runner: object | false = {}) =>
    startApp({ providers, options: { backend: cluster.url, prefix, runner }, realTime: true });
  const classes = (by: string) => jobs.map(({ classFor }) => classFor(by));
  const haveRun = (count: number) => eventually(() => jobs.every(({ runs }) => runs.length >= count));
  return { queues, jobs, start, classes, haveRun };
}

describe('Schedules in several slots of a Redis cluster', () => {
  it('each make one task per slot, with two processes that fire them', async () => {
    const { queues, jobs, start, classes, haveRun } = await setUp();
    const [{ catalog }] = await Promise.all([start(classes('one')), start(classes('two'))]);
    await haveRun(4);
    for (const [n, { name, slots }] of jobs.entries()) {
      const stored = await storedSlots(catalog, queues[n]!, name);
      expect(stored).toEqual(stored.map((_, at) => stored[0]! + at * second));
      expect(repeated(slots())).toEqual([]);
    }
    expect((await catalog.schedules({ queue: queues })).schedules).toHaveLength(3);
  });

  it('are heard at once when they are put, whichever queue they are in', async () => {
    const { queues, start } = await setUp();
    const runs: string[] = [];
    const jobs = queues.map((queue, n) => {
      @Job({ queue, name: `Put${n}` })
      class Put {
        run(_: void, { slot }: Task): void {
          runs.push(`${n} ${slot!.getTime()}`);
        }
      }
      return Put;
    });
    // Without the bell nothing would be seen for an hour.
    await Promise.all([start(jobs, { pollInterval: '1h' }), start(jobs, { pollInterval: '1h' })]);
    const web = await start([], false);
    for (const job of jobs) await web.jobs.enqueue(job, undefined, { every: '1h' });
    await eventually(() => runs.length >= jobs.length);
    for (const job of jobs) await web.jobs.enqueue(job, undefined, { cron: '* * * * * *' });
    await eventually(() => runs.length >= 4 * jobs.length);
    expect(new Set(runs).size).toBe(runs.length);
  });

  it(
    'go on while their slots move from node to node, none twice and none left out',
    async () => {
      const { queues, jobs, start, classes, haveRun } = await setUp();
      const [{ catalog }] = await Promise.all([
        start(classes('one'), { pollInterval: '500ms' }),
        start(classes('two'), { pollInterval: '500ms' }),
      ]);
      await haveRun(1);
      // Three times on is once round.
      for (let moves = 0; moves < 3; moves++)
        for (const [n, queue] of queues.entries()) {
          const before = jobs[n]!.runs.length;
          await mover.moveOn(await slotOfQueue(admin, queue));
          await eventually(() => jobs[n]!.runs.length > before);
        }
      for (const [n, { name: id }] of jobs.entries()) {
        const schedule = (await catalog.schedule({ queue: queues[n]!, id }))!;
        const stored = await storedSlots(catalog, queues[n]!, id);
        expect(repeated(stored)).toEqual([]);
        expect(schedule).toMatchObject({ skipped: 0, fired: passedSeconds(schedule) });
      }
    },
    3 * slow,
  );

  it(
    'go on by the clock while a node that has others stands still, which follow when it is back',
    async () => {
      const { queues, jobs, start, classes, haveRun } = await setUp();
      const { catalog } = await start(classes('one'), { pollInterval: '500ms' });
      await haveRun(2);
      const [still, ...others] = jobs as [(typeof jobs)[0], ...typeof jobs];
      const pid = Number(/process_id:(\d+)/.exec(await nodes[0]!.info('server'))![1]);
      process.kill(pid, 'SIGSTOP');
      const runsOfStill = still.runs.length;
      try {
        // The first look waits for the node that does not answer, later ones do not.
        await eventually(() => others.every(({ runs }) => runs.length >= 10));
        const from = Date.now();
        const seen = others.map(({ runs }) => runs.length);
        await eventually(() => others.every(({ runs }, n) => runs.length >= seen[n]! + 7));
        for (const { runs } of others) {
          const late = runs.filter(({ slot, at }) => slot > from && at - slot > 2 * second);
          expect(late.length).toBeLessThanOrEqual(2);
        }
        expect(still.runs.length).toBe(runsOfStill);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await eventually(() => still.runs.length > runsOfStill + 10);
      const stored = await storedSlots(catalog, queues[0]!, still.name);
      expect(stored).toEqual(stored.map((_, at) => stored[0]! + at * second));
    },
    3 * slow,
  );
});
