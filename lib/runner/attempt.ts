import type { ClaimedTask } from '../backend/backend.js';
import type { Task } from '../task/task.js';

/** How the run of an attempt came to its end. */
export type End =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'timed-out'; readonly error: Error }
  | { readonly type: 'handed-back' };

const handedBack: End = { type: 'handed-back' };

/** One claimed task while this process has it: what the runner can say to a run, and what becomes of it. */
export class Attempt {
  /** The task as the handler sees it, once its params are read. */
  task: Task<never> | undefined;
  /** When the lease ends, by this process's clock; moved on by each renewal. */
  leaseEndsAt: number;
  isCancelled = false;
  isStopping = false;
  isOver = false;
  private reason: Error | undefined;
  private finish: ((end: End) => void) | undefined;

  constructor(
    readonly claimed: ClaimedTask,
    leaseEndsAt: number,
  ) {
    this.leaseEndsAt = leaseEndsAt;
  }

  /** Waits for the run or for whatever ends the attempt before it; the first counts. */
  race(run: Promise<unknown>): Promise<End> {
    return new Promise((resolve) => {
      this.finish = resolve;
      run.then(
        (value) => resolve({ type: 'returned', value }),
        (error: unknown) => resolve({ type: 'threw', error }),
      );
    });
  }

  /** Tells the handler to stop, once; its outcome still counts. */
  abort(reason: Error): void {
    this.reason ??= reason;
    this.task?.abort(this.reason);
  }

  /** The handler's view of the attempt: it hears what was said before it was there. */
  opened(task: Task<never>): void {
    this.task = task;
    if (this.reason) task.abort(this.reason);
  }

  timeOut(error: Error): void {
    this.abort(error);
    this.finish?.({ type: 'timed-out', error });
  }

  cancel(reason: Error): void {
    this.isCancelled = true;
    this.abort(reason);
  }

  /** The process is going down: from now on a throw is no failure. */
  stop(reason: Error): void {
    this.isStopping = true;
    this.abort(reason);
  }

  /** Ends the attempt without an outcome of its own; a run that has not begun does not begin. */
  handBack(): void {
    this.isOver = true;
    this.finish?.(handedBack);
  }
}
