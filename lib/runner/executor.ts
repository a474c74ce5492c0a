import type { ClaimedTask } from '../backend/backend.js';
import type { JobHandler } from '../job/job-handler.js';
import type { OpenHandler } from '../job/handler.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { JobRegistry, ProvidedJob } from '../job/job-registry.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import type { TaskExtra } from '../task/enqueue-plan.js';
import {
  AttemptsExhaustedError,
  InvalidParamsError,
  TaskCancelledError,
  TaskTimeoutError,
} from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import { nextAttemptInMs, type RetryRules } from '../task/retry-policy.js';
import type { ParkReason } from '../task/task-record.js';
import { Task } from '../task/task.js';
import type { Attempt, End } from './attempt.js';
import { lineOf, storedError } from './stored-error.js';
import type { TaskLog } from './task-log.js';

/** How long finished tasks stay, in milliseconds from now. */
export interface Retention {
  succeededMs(): number;
  deadMs(): number;
  cancelledMs(): number;
}

/** An attempt on its way; what is known of it grows. */
interface Run {
  readonly attempt: Attempt;
  readonly job: ProvidedJob;
  readonly extra: TaskExtra;
  readonly startedAt: number;
  /** Once the params are read. */
  task?: Task<never>;
  /** Once the instance is there: without it there are no methods to ask. */
  handler?: OpenHandler;
}

const noExtra: TaskExtra = Object.freeze({});
/** The attempt has its end already: nobody looks at this one. */
const stoppedShort: End = { type: 'handed-back' };

/** Turns a claimed task into an outcome. Knows no storage and never throws. */
export class Executor {
  /** Handlers that went on after their attempt had ended. */
  abandoned = 0;

  constructor(
    private readonly registry: JobRegistry,
    private readonly clock: Clock,
    private readonly retention: Retention,
    private readonly resultLimit: number,
    private readonly lines: TaskLog,
    private readonly log: JobsLog,
  ) {}

  async execute(attempt: Attempt): Promise<Outcome> {
    try {
      return await this.attempt(attempt);
    } catch (error) {
      // Nothing above should throw; if it does, the task must not hang in this process.
      this.log.write('error', attempt.claimed.job, `task ${attempt.claimed.id}: ${lineOf(error)}`, error);
      return { type: 'retry', error: storedError(error), delayMs: 60_000 };
    }
  }

  private async attempt(attempt: Attempt): Promise<Outcome> {
    const { claimed } = attempt;
    if (attempt.isOver) return { type: 'handed-back' };
    const job = this.registry.named(claimed.job);
    if (!job) return this.park(claimed, 'unknown-job', 'no job of this name is provided here');
    if (claimed.attempt > claimed.retries + 1) return this.exhausted(claimed);
    const extra = readExtra(claimed.extra);
    if (!extra) return this.park(claimed, 'unreadable', 'what was enqueued with it cannot be read');
    const run: Run = { attempt, job, extra, startedAt: this.clock.now() };
    const timer = this.startTimeout(attempt, extra.timeoutMs ?? job.definition.timeoutMs);
    const running = this.run(run);
    const end = await attempt.race(running);
    timer?.cancel();
    if (end.type === 'timed-out' || end.type === 'handed-back') this.abandon(running);
    return this.conclude(run, end);
  }

  /** From stored text to the handler's end, through Nest and the hooks. Stops short where the attempt ended meanwhile. */
  private async run(run: Run): Promise<End> {
    const { attempt, job } = run;
    const { claimed } = attempt;
    let params: unknown;
    try {
      const decoded = job.definition.codec.decode(claimed.params);
      params = decoded instanceof Promise ? await decoded : decoded;
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
    const handler = (run.handler = opening instanceof Promise ? await opening : opening);
    if (this.registry.hooks.has('beforeRun', handler.instance))
      await this.registry.hooks.beforeRun(handler.instance, task);
    if (attempt.isOver) return stoppedShort;
    return { type: 'returned', value: await handler.run(task.params, task) };
  }

  /** From how the run ended to what is stored; `afterRun` is called with the lease still held. */
  private conclude(run: Run, end: End): Outcome | Promise<Outcome> {
    const { attempt, task } = run;
    const { claimed } = attempt;
    // Whoever holds the lease now will tell what became of the task; the store refuses whatever is said here.
    if (end.type === 'handed-back' || attempt.isLost) return { type: 'handed-back' };
    if (end.type === 'unrunnable') return this.park(claimed, end.reason, end.why);
    const verdict = end.type === 'timed-out' ? undefined : task?.verdict;
    if (verdict?.type === 'snooze') {
      this.lines.snoozed(claimed, verdict.delayMs);
      return { type: 'snoozed', delayMs: verdict.delayMs };
    }
    if (end.type === 'returned' && !verdict) return this.succeed(run, end.value);
    if (attempt.isStopping && end.type === 'threw') return { type: 'handed-back' };
    const error = verdict?.error ?? ('error' in end ? end.error : undefined);
    if (attempt.isCancelled) return this.cancelled(run, error);
    return this.fail(run, error, verdict?.mayRetry ?? true);
  }

  private succeed(run: Run, value: unknown): Outcome | Promise<Outcome> {
    if (!this.hasAfterRun(run)) return this.success(run, value);
    return this.afterRun(run, true, { willRetry: false, result: value }).then(() => this.success(run, value));
  }

  private success({ attempt: { claimed }, startedAt }: Run, value: unknown): Outcome {
    this.lines.succeeded(claimed, startedAt);
    const keepMs = claimed.keepMs ?? this.retention.succeededMs();
    return { type: 'succeeded', result: keepMs > 0 ? this.resultText(claimed, value) : undefined, keepMs };
  }

  private async fail(run: Run, error: unknown, mayRetry: boolean): Promise<Outcome> {
    const { claimed } = run.attempt;
    const delayMs = await nextAttemptInMs(
      { job: claimed.job, attempt: claimed.attempt, failures: claimed.failures + 1, error, mayRetry },
      this.rulesOf(run),
      (rule, thrown) =>
        this.log.write('error', claimed.job, `task ${claimed.id}: ${rule} failed: ${lineOf(thrown)}`, thrown),
    );
    await this.afterRun(run, false, { willRetry: delayMs !== undefined, error });
    this.lines.failed(claimed, run.startedAt, error, delayMs);
    return delayMs === undefined
      ? { type: 'dead', error: storedError(error), keepMs: this.retention.deadMs() }
      : { type: 'retry', error: storedError(error), delayMs };
  }

  /** What the call said wins over what the job says, and the job's methods over both. */
  private rulesOf({ attempt, job: { definition }, extra, handler }: Run): RetryRules {
    const instance: Partial<JobHandler<never>> = handler?.instance ?? {};
    const { retryDelay, shouldRetry } = instance;
    return {
      retries: attempt.claimed.retries,
      backoff: extra.backoff ?? definition.backoff,
      jitter: extra.jitter ?? definition.jitter,
      retryDelay: typeof retryDelay === 'function' ? retryDelay.bind(instance) : undefined,
      shouldRetry: typeof shouldRetry === 'function' ? shouldRetry.bind(instance) : undefined,
    };
  }

  private async cancelled(run: Run, error: unknown): Promise<Outcome> {
    const { claimed } = run.attempt;
    await this.afterRun(run, false, {
      willRetry: false,
      error: error ?? new TaskCancelledError(`${claimed.job}: cancelled`),
    });
    this.lines.cancelled(claimed);
    return { type: 'cancelled', reason: 'cancelled', keepMs: this.retention.cancelledMs() };
  }

  private hasAfterRun({ task, handler }: Run): boolean {
    return task !== undefined && this.registry.hooks.has('afterRun', handler?.instance ?? {});
  }

  private async afterRun(run: Run, success: boolean, end: Parameters<Task['end']>[0]): Promise<void> {
    const { attempt, handler, task } = run;
    if (!task || !this.hasAfterRun(run)) return;
    task.end(end);
    await attempt.orHandedBack(this.registry.hooks.after('afterRun', handler?.instance ?? {}, success, task));
  }

  private exhausted(claimed: ClaimedTask): Outcome {
    const error = new AttemptsExhaustedError(claimed.job, claimed.attempt, claimed.retries);
    this.lines.failed(claimed, this.clock.now(), error, undefined);
    return { type: 'dead', error: storedError(error), keepMs: this.retention.deadMs() };
  }

  private park(claimed: ClaimedTask, reason: ParkReason, why: string): Outcome {
    this.lines.parked(claimed, reason, why);
    return { type: 'parked', reason };
  }

  private startTimeout(attempt: Attempt, timeoutMs: number | undefined): ClockTimer | undefined {
    if (timeoutMs === undefined) return undefined;
    return this.clock.after(timeoutMs, () =>
      attempt.timeOut(new TaskTimeoutError(attempt.claimed.job, timeoutMs)),
    );
  }

  private abandon(running: Promise<unknown>): void {
    this.abandoned++;
    const over = () => void this.abandoned--;
    running.then(over, over);
  }

  private resultText(claimed: ClaimedTask, value: unknown): string | undefined {
    try {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined || Buffer.byteLength(text) <= this.resultLimit) return text;
      this.log.write(
        'warn',
        claimed.job,
        `task ${claimed.id}: its result exceeds payloadLimit and is not kept`,
      );
    } catch (error) {
      this.log.write(
        'warn',
        claimed.job,
        `task ${claimed.id}: its result is no JSON and is not kept: ${lineOf(error)}`,
      );
    }
    return undefined;
  }
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
