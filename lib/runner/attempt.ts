import type { ClaimedTask, LeaseGuard } from '../backend/backend.js';
import type { LockConflictError } from '../task/errors.js';
import type { ParkReason } from '../task/task-record.js';
import type { Task } from '../task/task.js';

/** How an attempt came to its end. */
export type End =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'timed-out'; readonly error: Error }
  | { readonly type: 'unrunnable'; readonly reason: ParkReason; readonly why: string }
  /** Another task holds its lock: it was not begun. */
  | { readonly type: 'conflict'; readonly error: LockConflictError }
  | { readonly type: 'handed-back' };

const handedBack: End = { type: 'handed-back' };

/** One claimed task while this process has it: what the runner can say to a run, and what becomes of it. */
export class Attempt {
  /** When the lease ends, by this process's clock; moved on by each renewal. */
  leaseEndsAt: number;
  isCancelled = false;
  /** The process is going down: from now on a throw is no failure. */
  isStopping = false;
  /** Another runner has the task: nothing of this run counts. */
  isLost = false;
  /** Ended before its run: what has not begun must not begin. */
  isOver = false;
  /** A transaction of the application's may have completed the task: only the store knows. */
  isCompleting = false;
  /** One has: whatever the handler does now, the task is done. */
  isCommitted = false;
  /** Nothing of it runs any more: what becomes of its lease concerns the outcome alone. */
  hasOutcome = false;
  /** When the run began and ended, by this process's clock; both are 0 where it did not begin. */
  startedAt = 0;
  endedAt = 0;
  /** Who renews the lease beside us, and by which number it knows it. */
  guarded: { readonly guard: LeaseGuard; readonly row: number } | undefined;
  private task: Task<never> | undefined;
  private reason: Error | undefined;
  private finish: ((end: End) => void) | undefined;

  constructor(
    readonly claimed: ClaimedTask,
    leaseEndsAt: number,
  ) {
    this.leaseEndsAt = leaseEndsAt;
  }

  /** Goes on with the end of the run, or with whatever ends the attempt before it; the first counts. */
  race(run: Promise<End>, reached: (end: End) => void): void {
    const finish = (end: End) => {
      if (this.finish !== finish) return;
      this.finish = undefined;
      reached(end);
    };
    this.finish = finish;
    run.then(finish, (error: unknown) => finish({ type: 'threw', error }));
    if (this.isOver && this.isStopping) finish(handedBack);
  }

  /** While the event loop is blocked, the lease is renewed for so long and no longer. */
  limit(afterMs: number): void {
    this.guarded?.guard.limit(this.guarded.row, afterMs);
  }

  /** The handler's view of the attempt: it hears what was said before it was there. */
  opened(task: Task<never>): void {
    this.task = task;
    if (this.reason) task.abort(this.reason);
  }

  /** Tells the handler to stop, once; its outcome still counts. */
  abort(reason: Error): void {
    this.reason ??= reason;
    this.task?.abort(this.reason);
  }

  timeOut(error: Error): void {
    this.isOver = true;
    this.abort(error);
    this.finish?.({ type: 'timed-out', error });
  }

  cancel(reason: Error): void {
    this.isCancelled = true;
    this.abort(reason);
  }

  lose(reason: Error): void {
    this.isLost = true;
    this.abort(reason);
  }

  stop(reason: Error): void {
    this.isStopping = true;
    this.abort(reason);
  }

  /** Ends the attempt without an outcome of its own. */
  handBack(): void {
    this.isOver = true;
    this.finish?.(handedBack);
  }
}
