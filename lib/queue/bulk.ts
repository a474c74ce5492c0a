import type { EnqueueArguments, JobClass } from '../job/job-handler.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import { isPromise } from '../task/realm.js';
import { BulkError } from './errors.js';

/** Makes a task of a call; what is wrong with it is thrown or rejected. */
type Build<B> = (job: JobClass, params: unknown, options?: EnqueueOptions) => B | Promise<B>;

const mostTasks = 50_000;

/** Collects what a `bulk` block enqueues; nothing is written before the block has returned. */
export class Bulk {
  private readonly calls: unknown[] = [];
  private isOver = false;

  private constructor(private readonly build: Build<unknown>) {}

  /** @internal */
  static async collect<B>(fill: (bulk: Bulk) => void | Promise<void>, build: Build<B>): Promise<B[]> {
    const bulk = new Bulk(build);
    try {
      await fill(bulk);
    } finally {
      bulk.isOver = true;
    }
    const built: B[] = [];
    for (const call of bulk.calls) built.push((isPromise(call) ? await call : call) as B);
    return built;
  }

  enqueue<J extends JobClass>(job: J, ...args: EnqueueArguments<J, EnqueueOptions>): void;
  enqueue(job: JobClass, params?: unknown, options?: EnqueueOptions): void {
    if (this.isOver)
      throw new BulkError(`${job.name}: enqueued after the bulk block had ended: await what the block does`);
    if (this.calls.length >= mostTasks)
      throw new BulkError(`${job.name}: a bulk holds at most ${mostTasks} tasks: make several`);
    this.calls.push(this.built(job, params, options));
  }

  /** Built at once, so that an object used for many calls is read at each; what is wrong stops the bulk at its end. */
  private built(job: JobClass, params: unknown, options?: EnqueueOptions): unknown {
    try {
      const built = this.build(job, params, options);
      if (isPromise(built)) built.catch(() => undefined);
      return built;
    } catch (error) {
      const failed = Promise.reject(error);
      failed.catch(() => undefined);
      return failed;
    }
  }
}
