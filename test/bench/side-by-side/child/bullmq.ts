import { perQueue, type Payload, type System } from '../system.js';

/** As much of BullMQ's types as is used here. */
export interface BullMQ {
  Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: Payload, options?: object): Promise<unknown>;
    addBulk(jobs: { name: string; data: Payload; opts?: object }[]): Promise<unknown>;
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  };
  Worker: new (
    name: string,
    run: (job: { data: Payload }) => Promise<void>,
    options: object,
  ) => {
    on(event: 'error', tell: (error: Error) => void): unknown;
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  };
}

export const removeAll = { removeOnComplete: true, removeOnFail: true };
/** What every job is called. */
export const name = 'NoOp';

/** Connections as its manual asks for them, everything else by default; finished jobs are removed. */
export function bullmqOn(
  open: () => Pick<BullMQ, 'Queue' | 'Worker'>,
  connectionTo: (url: string, side: 'queue' | 'worker') => object,
): System {
  return {
    async produce(url, queueName) {
      const { Queue } = open();
      const connection = connectionTo(url, 'queue');
      const queue = new Queue(queueName, { connection, defaultJobOptions: removeAll });
      await queue.waitUntilReady();
      return {
        add: (params) => queue.add(name, params),
        addBulk(all, dueAt) {
          const timestamp = Date.now();
          return queue.addBulk(
            all.map((data, index) =>
              dueAt ? { name, data, opts: { timestamp, delay: dueAt[index]! - timestamp } } : { name, data },
            ),
          );
        },
        close: () => queue.close(),
      };
    },

    async consume(request, handle) {
      const { Worker } = open();
      const { url, queues } = request;
      const concurrency = perQueue(request);
      const run = async ({ data }: { data: Payload }) => handle(data);
      const workers = queues.map(
        (queue) => new Worker(queue, run, { connection: connectionTo(url, 'worker'), concurrency }),
      );
      for (const worker of workers) {
        worker.on('error', (error) => console.error('bullmq:', error.message));
        await worker.waitUntilReady();
      }
      return { close: () => Promise.all(workers.map((worker) => worker.close())) };
    },
  };
}
