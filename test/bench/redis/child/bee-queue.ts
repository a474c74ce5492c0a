import { perQueue, type Payload, type System } from '../../side-by-side/system.js';
import { loadPeer } from '../../side-by-side/child/peers.js';

/** As much of bee-queue's types as is used here. */
interface BeeJob {
  readonly data: Payload;
  delayUntil(at: number): BeeJob;
  save(): Promise<unknown>;
}
type BeeQueue = new (
  name: string,
  settings: object,
) => {
  ready(): Promise<unknown>;
  createJob(data: Payload): BeeJob;
  saveAll(jobs: BeeJob[]): Promise<Map<unknown, Error>>;
  process(concurrency: number, run: (job: BeeJob) => Promise<void>): void;
  close(timeoutMs: number): Promise<unknown>;
};

/** Everything off that costs time and that nobody here asks for; delays as precise as it can. */
const settings = {
  removeOnSuccess: true,
  removeOnFailure: true,
  storeJobs: false,
  getEvents: false,
  sendEvents: false,
  delayedDebounce: 1,
};
const closeWithinMs = 2_000;

export const beeQueue: System = {
  async produce(url, name) {
    const Queue = loadPeer<BeeQueue>('bee-queue');
    const queue = new Queue(name, { ...settings, redis: { url }, isWorker: false });
    await queue.ready();
    return {
      add: (params) => queue.createJob(params).save(),
      async addBulk(all, dueAt) {
        const jobs = all.map((params, index) => {
          const job = queue.createJob(params);
          return dueAt ? job.delayUntil(dueAt[index]!) : job;
        });
        const [error] = (await queue.saveAll(jobs)).values();
        if (error) throw error;
      },
      close: () => queue.close(closeWithinMs),
    };
  },

  async consume(request, handle) {
    const { url, queues, delays = false } = request;
    const Queue = loadPeer<BeeQueue>('bee-queue');
    const workers = queues.map(
      (name) => new Queue(name, { ...settings, redis: { url }, isWorker: true, activateDelayedJobs: delays }),
    );
    for (const worker of workers) {
      await worker.ready();
      worker.process(perQueue(request), async ({ data }) => handle(data));
    }
    return { close: () => Promise.all(workers.map((worker) => worker.close(closeWithinMs))) };
  },
};
