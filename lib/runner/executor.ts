import type { ClaimedTask } from '../backend/backend.js';
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
import { nextAttemptInMs } from '../task/retry-policy.js';
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

/** An attempt whose handler is known. */
interface Run {
  readonly job: ProvidedJob;
  readonly handler: OpenHandler;
  readonly task: Task<never>;
  readonly extra: TaskExtra;
  readonly startedAt: number;
}

const noExtra: TaskExtra = Object.freeze({});

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
    const job = this.registry.named(claimed.job);
    if (!job) return this.park(claimed, 'unknown-job', `no job of this name is provided here`);
    let params: unknown;
    let extra: TaskExtra;
    try {
      extra = claimed.extra === undefined ? noExtra : (JSON.parse(claimed.extra) as TaskExtra);
      const decoded = job.definition.codec.decode(claimed.params);
      params = decoded instanceof Promise ? await decoded : decoded;
    } catch (error) {
      const reason = error instanceof InvalidParamsError ? 'invalid-params' : 'unreadable';
      return this.park(claimed, reason, (error as Error).message);
    }
    const task = new Task<never>({ ...claimed, params: params as never }, (message) =>
      this.log.write('log', claimed.job, message),
    );
    attempt.opened(task);
    if (attempt.isOver) return { type: 'handed-back' };
    if (claimed.attempt > claimed.retries + 1) return this.exhausted(claimed);
    return this.run(attempt, job, task, extra);
  }

  private async run(
    attempt: Attempt,
    job: ProvidedJob,
    task: Task<never>,
    extra: TaskExtra,
  ): Promise<Outcome> {
    const startedAt = this.clock.now();
    this.lines.started(attempt.claimed);
    let handler: OpenHandler | undefined;
    const running = (async () => {
      const opening = job.handler.open(task);
      handler = opening instanceof Promise ? await opening : opening;
      if (this.registry.hooks.has('beforeRun', handler.instance))
        await this.registry.hooks.beforeRun(handler.instance, task);
      return handler.run(task.params, task);
    })();
    const timer = this.startTimeout(attempt, extra.timeoutMs ?? job.definition.timeoutMs);
    const end = await attempt.race(running);
    timer?.cancel();
    if (end.type === 'timed-out' || end.type === 'handed-back') this.abandon(running);
    // Without an instance (its dependencies could not be made) there are no methods to ask either.
    handler ??= { instance: {} as never, run: async () => undefined };
    return this.conclude(attempt, { job, handler, task, extra, startedAt }, end);
  }

  /** From how the run ended to what is stored; `afterRun` is called with the lease still held. */
  private conclude(attempt: Attempt, run: Run, end: End): Outcome | Promise<Outcome> {
    const { claimed } = attempt;
    const verdict = run.task.verdict;
    if (end.type === 'handed-back') return { type: 'handed-back' };
    if (end.type !== 'timed-out' && verdict?.type === 'snooze') {
      this.lines.snoozed(claimed, verdict.delayMs);
      return { type: 'snoozed', delayMs: verdict.delayMs };
    }
    if (end.type === 'returned' && verdict === undefined) return this.succeed(claimed, run, end.value);
    if (attempt.isStopping && end.type === 'threw' && verdict === undefined) return { type: 'handed-back' };
    const said = verdict?.type === 'fail' && end.type !== 'timed-out' ? verdict : undefined;
    const error = said?.error ?? ('error' in end ? end.error : undefined);
    if (attempt.isCancelled) return this.cancelled(claimed, run, error);
    return this.fail(claimed, run, error, said?.mayRetry ?? true);
  }

  private succeed(claimed: ClaimedTask, run: Run, value: unknown): Outcome | Promise<Outcome> {
    if (!this.registry.hooks.has('afterRun', run.handler.instance)) return this.success(claimed, run, value);
    const end = { willRetry: false, result: value };
    return this.afterRun(run, true, end).then(() => this.success(claimed, run, value));
  }

  private success(claimed: ClaimedTask, run: Run, value: unknown): Outcome {
    this.lines.succeeded(claimed, run.startedAt);
    const keepMs = claimed.keepMs ?? this.retention.succeededMs();
    return { type: 'succeeded', result: keepMs > 0 ? this.resultText(claimed, value) : undefined, keepMs };
  }

  private async fail(claimed: ClaimedTask, run: Run, error: unknown, mayRetry: boolean): Promise<Outcome> {
    const { definition } = run.job;
    const { instance } = run.handler;
    const failures = claimed.failures + 1;
    const delayMs = await nextAttemptInMs(
      { job: claimed.job, attempt: claimed.attempt, failures, error, mayRetry },
      {
        retries: claimed.retries,
        backoff: run.extra.backoff ?? definition.backoff,
        jitter: run.extra.jitter ?? definition.jitter,
        retryDelay: instance.retryDelay?.bind(instance),
        shouldRetry: instance.shouldRetry?.bind(instance),
      },
      (rule, thrown) =>
        this.log.write('error', claimed.job, `task ${claimed.id}: ${rule} failed: ${lineOf(thrown)}`, thrown),
    );
    await this.afterRun(run, false, { willRetry: delayMs !== undefined, error });
    this.lines.failed(claimed, run.startedAt, error, delayMs);
    return delayMs === undefined
      ? { type: 'dead', error: storedError(error), keepMs: this.retention.deadMs() }
      : { type: 'retry', error: storedError(error), delayMs };
  }

  private async cancelled(claimed: ClaimedTask, run: Run, error: unknown): Promise<Outcome> {
    await this.afterRun(run, false, {
      willRetry: false,
      error: error ?? new TaskCancelledError(`${claimed.job}: cancelled`),
    });
    this.lines.cancelled(claimed);
    return { type: 'cancelled', reason: 'cancelled', keepMs: this.retention.cancelledMs() };
  }

  private async afterRun(
    { handler, task }: Run,
    success: boolean,
    end: Parameters<Task['end']>[0],
  ): Promise<void> {
    const { hooks } = this.registry;
    if (!hooks.has('afterRun', handler.instance)) return;
    task.end(end);
    await hooks.after('afterRun', handler.instance, success, task);
  }

  private exhausted(claimed: ClaimedTask): Outcome {
    const error = new AttemptsExhaustedError(claimed.job, claimed.attempt, claimed.retries);
    this.lines.failed(claimed, this.clock.now(), error, undefined);
    return { type: 'dead', error: storedError(error), keepMs: this.retention.deadMs() };
  }

  private park(
    claimed: ClaimedTask,
    reason: 'unknown-job' | 'unreadable' | 'invalid-params',
    why: string,
  ): Outcome {
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
