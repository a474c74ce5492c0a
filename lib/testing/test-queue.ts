import type { EnqueueArguments, JobClass } from '../job/job-handler.js';
import type { Bulk } from '../queue/bulk.js';
import type { Enqueued } from '../queue/enqueued.js';
import { JobQueue } from '../queue/job-queue.js';
import type { ResultOf } from '../queue/result-of.js';
import type { ResultOptions } from '../queue/result-options.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import type { TaskRef } from '../task/task-record.js';

/** What a call said, and what became of it. */
export interface EnqueueCall {
  readonly options: EnqueueOptions | undefined;
  readonly enqueued: Enqueued;
}

/** Told of calls that the store has answered; what it rejects with, the caller gets. */
export type Told = (calls: readonly EnqueueCall[]) => Promise<void>;

/** Gives a caller what it waits for, or tells it that it waits in vain. */
export type Awaited = <T>(id: string, result: Promise<T>) => Promise<T>;

/** A queue that says what was asked of it. A class, since the module makes the queue from its parts. */
export function testQueueOf(told: Told, awaited: Awaited): typeof JobQueue {
  return class TestQueue extends JobQueue {
    override async enqueue<J extends JobClass>(
      job: J,
      ...args: EnqueueArguments<J, EnqueueOptions>
    ): Promise<Enqueued<ResultOf<J>>> {
      const enqueued = await super.enqueue(job, ...args);
      await told([{ options: args[1], enqueued }]);
      return enqueued;
    }

    override async bulk(
      fill: (bulk: Bulk) => void | Promise<void>,
      options?: Pick<EnqueueOptions, 'transaction'>,
    ): Promise<Enqueued[]> {
      const said: (EnqueueOptions | undefined)[] = [];
      const all = await super.bulk((bulk) => fill(listening(bulk, said)), options);
      await told(all.map((enqueued, index) => ({ options: said[index], enqueued })));
      return all;
    }

    override result<R = unknown>(ref: Enqueued<R> | TaskRef | string, options?: ResultOptions): Promise<R> {
      return awaited(typeof ref === 'string' ? ref : ref?.id, super.result(ref, options));
    }
  };
}

function listening(bulk: Bulk, said: (EnqueueOptions | undefined)[]): Bulk {
  const enqueue: Bulk['enqueue'] = (job, ...args) => {
    bulk.enqueue(job, ...args);
    said.push(args[1]);
  };
  return { enqueue } as Bulk;
}
