import { AsyncResource } from 'node:async_hooks';
import type { ClaimedTask } from '../backend/backend.js';
import type { OpenHandler } from '../job/handler.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { JobRegistry } from '../job/job-registry.js';
import { linesOf } from '../job/task-lines.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Clock } from '../task/clock.js';
import type { TaskExtra } from '../task/enqueue-plan.js';
import { AttemptsExhaustedError, InvalidParamsError, LockConflictError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import { isPromise } from '../task/realm.js';
import { withStored } from '../task/redact.js';
import { storedError } from '../task/stored-error.js';
import type { ParkReason } from '../task/task-record.js';
import { taskFields } from '../task/task-fields.js';
import { Task, type TaskCompletion } from '../task/task.js';
import type { Around } from './around.js';
import type { Attempt, End } from './attempt.js';
import type { Conclusion } from './conclusion.js';
import type { Patience, Run } from './patience.js';
import { tellStart } from './run-events.js';
import type { TaskLog } from './task-log.js';

const noExtra: TaskExtra = Object.freeze({});
/** The attempt has its end already: nobody looks at this one. */
const stoppedShort: End = { type: 'handed-back' };

/** Turns a claimed task into an outcome. Knows no storage and never throws. */
export class Executor {
  constructor(
    private readonly registry: JobRegistry,
    private readonly clock: Clock,
    private readonly patience: Patience,
    private readonly conclusion: Conclusion,
    private readonly lines: TaskLog,
    private readonly log: JobsLog,
    private readonly events: TaskEvents,
    private readonly around: Around,
    private readonly completionOf: (attempt: Attempt) => TaskCompletion,
  ) {}

  /** Handlers and hooks that went on after their attempt had ended. */
  get abandoned(): number {
    return this.patience.abandoned;
  }

  /**
   * Goes on with the outcome when it is there, and without a promise where nothing on the way needs one: a short handler
   * must not pay for what others wait for.
   */
  execute(attempt: Attempt, reached: (outcome: Outcome) => void): void {
    const run = this.attempted(attempt, () => this.prepare(attempt));
    if ('type' in run) return reached(run);
    if (this.around.isWanted) this.executeWithin(run, reached);
    else this.carryOut(run, (end) => this.conclude(run, end, reached));
  }

  /**
   * With something around the whole attempt. What ends it may come from elsewhere, as a timeout does: what follows, hooks and
   * rules, belongs into the same context all the same, and nothing of that context may reach the runner.
   */
  private executeWithin(run: Run, reached: (outcome: Outcome) => void): void {
    const { attempt } = run;
    const next = (failure?: Error) =>
      new Promise<Outcome>((ended) => {
        const conclude = AsyncResource.bind((end: End) => this.conclude(run, end, ended));
        if (failure) conclude({ type: 'threw', error: failure });
        else this.carryOut(run, conclude);
      });
    const scope = new AsyncResource('nestjs-jobs.attempt');
    void scope
      .runInAsyncScope(async () => this.around.attempt(attempt.claimed, run.extra, next))
      .catch((error: unknown) => this.unforeseen(attempt, error))
      .then(reached);
  }

  private carryOut(run: Run, conclude: (end: End) => void): void {
    const { claimed } = run.attempt;
    if (claimed.attempt > claimed.retries + 1) conclude(exhausted(claimed));
    else this.patience.waitFor(run, () => this.begin(run), conclude);
  }

  private conclude(run: Run, end: End, reached: (outcome: Outcome) => void): void {
    const outcome = this.attempted(run.attempt, () => this.conclusion.of(run, end));
    if (!isPromise(outcome)) return reached(outcome);
    void outcome.catch((error: unknown) => this.unforeseen(run.attempt, error)).then(reached);
  }

  private attempted<T>(attempt: Attempt, step: () => T): T | Outcome {
    try {
      return step();
    } catch (error) {
      return this.unforeseen(attempt, error);
    }
  }

  /** Nothing here should throw; if it does, the task must not hang in this process. */
  private unforeseen({ claimed }: Attempt, error: unknown): Outcome {
    const redaction = this.registry.redactionOf(claimed.job, claimed.extra);
    const stored = storedError(error, redaction?.maskOf(claimed.params));
    const message = `task ${claimed.id}: ${stored.name}: ${stored.message}`;
    this.log.write('error', claimed.job, message, stored, taskFields(claimed));
    return { type: 'retry', error: stored, delayMs: 60_000 };
  }

  /** A run that can begin, or what becomes of a task that cannot. */
  private prepare(attempt: Attempt): Run | Outcome {
    const { claimed } = attempt;
    if (attempt.isOver) return { type: 'handed-back' };
    const { conflictsWith, lock } = claimed;
    if (conflictsWith !== undefined && lock?.onConflict === 'reschedule') {
      attempt.line = () => this.lines.rescheduled(claimed, conflictsWith, lock.retryAfterMs!);
      return { type: 'conflict', delayMs: lock.retryAfterMs! };
    }
    const job = this.registry.named(claimed.job);
    if (!job) return this.park(attempt, 'unknown-job', 'no job of this name is provided here');
    const extra = readExtra(claimed.extra);
    if (!extra)
      return this.park(
        attempt,
        'unreadable',
        'what was enqueued with it cannot be read',
        job.definition.fingerprint,
      );
    attempt.startedAt = this.clock.elapsed();
    const redaction = withStored(extra.redact, job.definition.redaction);
    return { attempt, job, extra, redaction, startedAt: attempt.startedAt };
  }

  private begin(run: Run): End | Promise<End> {
    try {
      return this.run(run);
    } catch (error) {
      return { type: 'threw', error };
    }
  }

  /** From stored text to the handler's end, through Nest and the hooks. Stops short where the attempt ended meanwhile. */
  private run(run: Run): End | Promise<End> {
    let params: unknown;
    try {
      params = run.job.definition.codec.decode(run.attempt.claimed.params);
    } catch (error) {
      return unrunnable(error);
    }
    return isPromise(params)
      ? params.then((read) => this.runWith(run, read), unrunnable)
      : this.runWith(run, params);
  }

  private runWith(run: Run, params: unknown): End | Promise<End> {
    const { attempt, job, redaction } = run;
    const { claimed } = attempt;
    if (attempt.isOver) return stoppedShort;
    if (claimed.conflictsWith === undefined) this.started(claimed);
    const lines = linesOf(this.log, redaction, claimed.params, params);
    const completion = () => this.completionOf(attempt);
    const task = (run.task = new Task<never>(claimed, params as never, lines, completion, attempt));
    attempt.opened(task);
    const opening = job.handler.open(task);
    return isPromise(opening)
      ? opening.then((handler) => this.runIn(run, task, handler))
      : this.runIn(run, task, opening);
  }

  private started(claimed: ClaimedTask): void {
    this.lines.started(claimed);
    tellStart(this.events, claimed);
  }

  private runIn(run: Run, task: Task<never>, handler: OpenHandler): End | Promise<End> {
    run.handler = handler;
    const { hooks } = this.registry;
    const { conflictsWith, job, id } = run.attempt.claimed;
    if (conflictsWith !== undefined)
      return { type: 'conflict', error: new LockConflictError(job, id, conflictsWith) };
    if (!hooks.has('beforeRun', handler.instance)) return this.handle(run, task, handler);
    return hooks.beforeRun(handler.instance, task).then(() => this.handle(run, task, handler));
  }

  private handle({ attempt }: Run, task: Task<never>, handler: OpenHandler): End | Promise<End> {
    if (attempt.isOver) return stoppedShort;
    const value = handler.run(task.params, task);
    // What can be awaited need not be a promise.
    return isPromise(value) ? Promise.resolve(value).then(returned) : returned(value);
  }

  private park(attempt: Attempt, reason: ParkReason, why: string, fingerprint?: string): Outcome {
    attempt.line = () => this.lines.parked(attempt.claimed, reason, why);
    return { type: 'parked', reason, fingerprint };
  }
}

function returned(value: unknown): End {
  return { type: 'returned', value };
}

/** A cause means that the check itself broke down: the same text may pass another time. */
function unrunnable(error: unknown): End {
  if (error instanceof InvalidParamsError && error.cause !== undefined) return { type: 'threw', error };
  const reason = error instanceof InvalidParamsError ? 'invalid-params' : 'unreadable';
  return { type: 'unrunnable', reason, why: (error as Error).message };
}

/** It kept ending its process: it is not run again. */
function exhausted({ job, attempt, retries }: ClaimedTask): End {
  return { type: 'threw', error: new AttemptsExhaustedError(job, attempt, retries) };
}

function readExtra(text: string | undefined): TaskExtra | undefined {
  if (text === undefined) return noExtra;
  try {
    const extra: unknown = JSON.parse(text);
    return typeof extra === 'object' && extra !== null ? extra : undefined;
  } catch {
    return undefined;
  }
}
