import { loadPeer } from '../../side-by-side/child/peers.js';
import { perQueue, type Payload, type System } from '../../side-by-side/system.js';

/** As much of pg-boss' types as is used here. */
interface PgBoss {
  on(event: 'error', tell: (error: Error) => void): unknown;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  send(name: string, data: Payload): Promise<unknown>;
  insert(name: string, jobs: { data: Payload; startAfter?: Date }[]): Promise<unknown>;
  work(name: string, options: object, run: (jobs: { data: Payload }[]) => Promise<void>): Promise<string>;
}
interface Module {
  PgBoss: new (options: object) => PgBoss;
}

/** Woken by the server, and finished jobs removed as soon as its own maintenance does. */
const queueOptions = { notify: true, deleteAfterSeconds: 1 };

export const pgBoss: System = {
  async produce(url, queue) {
    const boss = await start(url, { supervise: false, schedule: false });
    await boss.createQueue(queue, queueOptions);
    return {
      add: (params) => boss.send(queue, params),
      addBulk: (all, dueAt) =>
        boss.insert(
          queue,
          all.map((data, index) => (dueAt ? { data, startAfter: new Date(dueAt[index]!) } : { data })),
        ),
      close: () => boss.stop({ graceful: false }),
    };
  },

  async consume(request, handle) {
    const { url, queues, delays = false } = request;
    const concurrency = perQueue(request);
    const boss = await start(url, { useListenNotify: true, schedule: false });
    // What was fastest of many splits: up to four workers, with batches of fifty or more.
    const localConcurrency = Math.min(Math.max(Math.floor(concurrency / 50), 1), 4);
    const options = {
      localConcurrency,
      batchSize: concurrency / localConcurrency,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
      // Nothing wakes it for a delayed job, and beside notifications it looks only twice a minute.
      ...(delays ? { notifyPollingIntervalSeconds: 0.5 } : {}),
    };
    for (const queue of queues) {
      await boss.createQueue(queue, queueOptions);
      await boss.work(queue, options, async (jobs) => {
        for (const { data } of jobs) handle(data);
      });
    }
    return { close: () => boss.stop({ graceful: false }) };
  },
};

async function start(connectionString: string, options: object): Promise<PgBoss> {
  const { PgBoss } = loadPeer<Module>('pg-boss');
  const boss = new PgBoss({ connectionString, ...options });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  await boss.start();
  return boss;
}
