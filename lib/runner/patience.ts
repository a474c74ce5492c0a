import type { OpenHandler } from '../job/handler.js';
import type { ProvidedJob } from '../job/job-registry.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import type { TaskExtra } from '../task/enqueue-plan.js';
import { TaskTimeoutError } from '../task/errors.js';
import { isPromise } from '../task/realm.js';
import type { Redaction } from '../task/redact.js';
import type { Task } from '../task/task.js';
import type { Attempt, End } from './attempt.js';

/** An attempt on its way; what is known of it grows. */
export interface Run {
  readonly attempt: Attempt;
  readonly job: ProvidedJob;
  readonly extra: TaskExtra;
  /** What is not to be seen of its params, by its job and by what travels with it. */
  readonly redaction?: Redaction;
  readonly startedAt: number;
  /** Once the params are read. */
  task?: Task<never>;
  /** Once the instance is there: without it there are no methods to ask. */
  handler?: OpenHandler;
}

/** Waits for a run, or for what follows it, no longer than the job's timeout and the end of a drain allow. */
export class Patience {
  /** What went on after nobody waited for it any more, because it does not heed `task.signal`. */
  abandoned = 0;

  constructor(private readonly clock: Clock) {}

  /** Goes on with the end when it is there: a promise more would be felt with every short task. */
  waitFor({ attempt, job, extra }: Run, begin: () => End | Promise<End>, reached: (end: End) => void): void {
    const timeoutMs = extra.timeoutMs ?? job.definition.timeoutMs;
    const timer = timeoutMs === undefined ? undefined : this.limit(attempt, timeoutMs);
    // Only now: it may block the event loop from its first moment.
    const work = begin();
    if (!isPromise(work)) {
      timer?.cancel();
      return reached(work);
    }
    attempt.race(work, (end) => {
      timer?.cancel();
      if (end.type === 'timed-out' || end.type === 'handed-back') this.abandon(work);
      reached(end);
    });
  }

  private limit(attempt: Attempt, timeoutMs: number): ClockTimer {
    const timeOut = () => attempt.timeOut(new TaskTimeoutError(attempt.claimed.job, timeoutMs));
    const timer = this.clock.after(timeoutMs, timeOut);
    attempt.limit(timeoutMs);
    return {
      cancel() {
        timer.cancel();
        attempt.limit(Infinity);
      },
    };
  }

  private abandon(work: Promise<unknown>): void {
    this.abandoned++;
    const over = () => void this.abandoned--;
    work.then(over, over);
  }
}
