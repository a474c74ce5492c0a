import type { ClockTimer } from '../task/clock.js';
import type { TaskState } from '../task/task-record.js';
import type { ResultEnd } from './result-end.js';

/** A task by its queue and id; without a queue every known one is asked. */
export interface AwaitedRef {
  readonly queue?: string;
  readonly id: string;
}

/** A caller that waits for a task. */
export interface Waiter {
  task: AwaitedTask;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Nobody waits for good. */
  deadline?: ClockTimer;
}

const firstPauseMs = 50;
const longestPauseMs = 1_000;

/** A task that callers wait for, and when it is looked at next. */
export class AwaitedTask {
  readonly waiters = new Set<Waiter>();
  rest: ClockTimer | undefined;
  isLooking = false;
  /** It was told to have finished while a look was under way, which may be older. */
  isHinted = false;
  /** As it was seen last. */
  state: TaskState | undefined;
  /** Why the last look gave no answer. */
  trouble: unknown;
  private pauseMs = firstPauseMs;

  constructor(readonly ref: AwaitedRef) {}

  static nameOf({ queue, id }: AwaitedRef): string {
    return queue === undefined ? id : `${id}\n${queue}`;
  }

  get name(): string {
    return AwaitedTask.nameOf(this.ref);
  }

  add(waiter: Waiter): void {
    waiter.task = this;
    this.waiters.add(waiter);
  }

  /** How long it is left alone after a look that did not find its end. */
  nextPauseMs(): number {
    const pauseMs = this.pauseMs;
    this.pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    return pauseMs;
  }

  end(end: ResultEnd): void {
    for (const { resolve, reject, deadline } of this.waiters) {
      deadline?.cancel();
      if ('error' in end) reject(end.error);
      else resolve(end.value);
    }
    this.waiters.clear();
  }
}
