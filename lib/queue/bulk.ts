import type { EnqueueArguments, JobClass } from '../job/job-handler.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import { BulkError } from './errors.js';

export interface BulkCall {
  readonly job: JobClass;
  readonly params: unknown;
  readonly options?: EnqueueOptions;
}

const mostTasks = 50_000;

/** Collects what a `bulk` block enqueues; nothing is written before the block has returned. */
export class Bulk {
  private readonly calls: BulkCall[] = [];
  private isOver = false;

  private constructor() {}

  /** @internal */
  static async collect(fill: (bulk: Bulk) => void | Promise<void>): Promise<readonly BulkCall[]> {
    const bulk = new Bulk();
    try {
      await fill(bulk);
    } finally {
      bulk.isOver = true;
    }
    return bulk.calls;
  }

  enqueue<J extends JobClass>(job: J, ...[params, options]: EnqueueArguments<J, EnqueueOptions>): void {
    if (this.isOver)
      throw new BulkError(`${job.name}: enqueued after the bulk block had ended: await what the block does`);
    if (this.calls.length >= mostTasks)
      throw new BulkError(`${job.name}: a bulk holds at most ${mostTasks} tasks: make several`);
    this.calls.push({ job, params, options });
  }
}
