import { loadPeer } from '../../side-by-side/child/peers.js';
import type { Payload, System } from '../../side-by-side/system.js';

/** As much of graphile-worker's types as is used here. */
interface Module {
  Logger: new (factory: () => () => void) => object;
  makeWorkerUtils(options: object): Promise<{
    migrate(): Promise<void>;
    addJob(task: string, payload: Payload): Promise<unknown>;
    addJobs(jobs: { identifier: string; payload: Payload; runAt?: Date }[]): Promise<unknown>;
    release(): Promise<void>;
  }>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

/** Its defaults but for the log, which says a line for every job. */
export const graphileWorker = graphile(() => ({}));

/** As its chapter on performance sets it: jobs are fetched ahead, and completed together. */
export const graphileTuned = graphile((concurrency) => ({
  maxPoolSize: 25,
  localQueue: { size: Math.max(500, 2 * concurrency) },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
}));

function graphile(settingsFor: (concurrency: number) => object): System {
  return {
    async produce(connectionString, identifier) {
      const { makeWorkerUtils, Logger } = loadPeer<Module>('graphile-worker');
      const utils = await makeWorkerUtils({ connectionString, logger: silent(Logger) });
      await utils.migrate();
      return {
        add: (params) => utils.addJob(identifier, params),
        addBulk: (all, dueAt) =>
          utils.addJobs(
            all.map((payload, index) =>
              dueAt ? { identifier, payload, runAt: new Date(dueAt[index]!) } : { identifier, payload },
            ),
          ),
        close: () => utils.release(),
      };
    },

    async consume({ url: connectionString, queues, concurrency }, handle) {
      const { run, Logger } = loadPeer<Module>('graphile-worker');
      const task = async (params: Payload) => handle(params);
      const runner = await run({
        taskList: Object.fromEntries(queues.map((queue) => [queue, task])),
        noHandleSignals: true,
        preset: {
          worker: {
            connectionString,
            concurrentJobs: concurrency,
            logger: silent(Logger),
            ...settingsFor(concurrency),
          },
        },
      });
      return { close: () => runner.stop() };
    },
  };
}

function silent(Logger: Module['Logger']): object {
  return new Logger(() => () => undefined);
}
