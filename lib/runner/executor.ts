import type { ClaimedTask } from '../backend/backend.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { Clock } from '../task/clock.js';
import type { TaskExtra } from '../task/enqueue-plan.js';
import { AttemptsExhaustedError, InvalidParamsError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import { isPromise } from '../task/realm.js';
import { lineOf, storedError } from '../task/stored-error.js';
import type { ParkReason } from '../task/task-record.js';
import { Task } from '../task/task.js';
import type { Attempt, End } from './attempt.js';
import type { Conclusion } from './conclusion.js';
import type { Patience, Run } from './patience.js';
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
  ) {}

  /** Handlers and hooks that went on after their attempt had ended. */
  get abandoned(): number {
    return this.patience.abandoned;
  }

  async execute(attempt: Attempt): Promise<Outcome> {
    try {
      return await this.carryOut(attempt);
    } catch (error) {
      // Nothing above should throw; if it does, the task must not hang in this process.
      this.log.write('error', attempt.claimed.job, `task ${attempt.claimed.id}: ${lineOf(error)}`, error);
      return { type: 'retry', error: storedError(error), delayMs: 60_000 };
    }
  }

  private async carryOut(attempt: Attempt): Promise<Outcome> {
    const { claimed } = attempt;
    if (attempt.isOver) return { type: 'handed-back' };
    const job = this.registry.named(claimed.job);
    if (!job) return this.park(claimed, 'unknown-job', 'no job of this name is provided here');
    const extra = readExtra(claimed.extra);
    if (!extra)
      return this.park(
        claimed,
        'unreadable',
        'what was enqueued with it cannot be read',
        job.definition.fingerprint,
      );
    const run: Run = { attempt, job, extra, startedAt: this.clock.elapsed() };
    if (claimed.attempt > claimed.retries + 1) return this.conclusion.of(run, exhausted(claimed));
    return this.conclusion.of(run, await this.patience.waitFor(run, this.run(run)));
  }

  /** From stored text to the handler's end, through Nest and the hooks. Stops short where the attempt ended meanwhile. */
  private async run(run: Run): Promise<End> {
    const { attempt, job } = run;
    const { claimed } = attempt;
    let params: unknown;
    try {
      const decoded = job.definition.codec.decode(claimed.params);
      params = isPromise(decoded) ? await decoded : decoded;
    } catch (error) {
      // A cause means that the check itself broke down: the same text may pass another time.
      if (error instanceof InvalidParamsError && error.cause !== undefined) throw error;
      const reason = error instanceof InvalidParamsError ? 'invalid-params' : 'unreadable';
      return { type: 'unrunnable', reason, why: (error as Error).message };
    }
    if (attempt.isOver) return stoppedShort;
    this.lines.started(claimed);
    const task = (run.task = new Task<never>({ ...claimed, params: params as never }, (message) =>
      this.log.write('log', claimed.job, message),
    ));
    attempt.opened(task);
    const opening = job.handler.open(task);
    const handler = (run.handler = isPromise(opening) ? await opening : opening);
    if (this.registry.hooks.has('beforeRun', handler.instance))
      await this.registry.hooks.beforeRun(handler.instance, task);
    if (attempt.isOver) return stoppedShort;
    return { type: 'returned', value: await handler.run(task.params, task) };
  }

  private park(claimed: ClaimedTask, reason: ParkReason, why: string, fingerprint?: string): Outcome {
    this.lines.parked(claimed, reason, why);
    return { type: 'parked', reason, fingerprint };
  }
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
