import type { ClaimedTask } from '../backend/backend.js';
import type { JobHandler } from '../job/job-handler.js';
import type { JobsLog } from '../job/jobs-log.js';
import type { HookChain } from '../job/hook-chain.js';
import type { Clock } from '../task/clock.js';
import { TaskCancelledError, type LockConflictError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import type { Mask } from '../task/redact-text.js';
import { nextAttemptInMs, type RetryRules } from '../task/retry-policy.js';
import { lineOf, storedError } from '../task/stored-error.js';
import { taskFields } from '../task/task-fields.js';
import type { Task } from '../task/task.js';
import type { Attempt, End } from './attempt.js';
import type { Patience, Run } from './patience.js';
import type { TaskLog } from './task-log.js';

/** How long finished tasks stay, in milliseconds from now. */
export interface Retention {
  succeededMs(): number;
  deadMs(): number;
  cancelledMs(): number;
}

/** Thrown where a drain ended before what follows a run. */
class CutOff extends Error {}

/** Turns the end of a run into an outcome: verdicts, retry rules, `afterRun`. */
export class Conclusion {
  constructor(
    private readonly hooks: HookChain,
    private readonly patience: Patience,
    private readonly retention: Retention,
    private readonly resultLimit: number,
    private readonly clock: Clock,
    private readonly lines: TaskLog,
    private readonly log: JobsLog,
  ) {}

  /** From how the run ended to what is stored; `afterRun` is called with the lease still held. */
  of(run: Run, end: End): Outcome | Promise<Outcome> {
    const { attempt, task } = run;
    const { claimed } = attempt;
    if (attempt.isCommitted) return this.committed(run, end);
    if (end.type === 'handed-back') return { type: 'handed-back' };
    if (attempt.isLost) return this.lost(run, end);
    if (end.type === 'unrunnable') {
      const why = maskOf(run)?.(end.why) ?? end.why;
      attempt.line = () => this.lines.parked(claimed, end.reason, why);
      return { type: 'parked', reason: end.reason, fingerprint: run.job.definition.fingerprint };
    }
    if (end.type === 'conflict') {
      const { error } = end;
      return this.afterwards(() =>
        claimed.lock?.onConflict === 'raise' ? this.fail(run, error, true) : this.rejected(run, error),
      );
    }
    const verdict = end.type === 'timed-out' ? undefined : task?.verdict;
    if (verdict?.type === 'snooze') {
      const durationMs = this.durationOf(run);
      attempt.line = () => this.lines.snoozed(claimed, durationMs, verdict.delayMs);
      return { type: 'snoozed', delayMs: verdict.delayMs };
    }
    if (end.type === 'returned' && !verdict) return this.succeed(run, end.value);
    if (attempt.isStopping && end.type === 'threw') return { type: 'handed-back' };
    const error = verdict?.error ?? ('error' in end ? end.error : undefined);
    return this.afterwards(() =>
      attempt.isCancelled ? this.cancelled(run, error) : this.fail(run, error, verdict?.mayRetry ?? true),
    );
  }

  /** The task was done when its transaction committed: what came after that changes nothing. */
  private committed(run: Run, end: End): Outcome | Promise<Outcome> {
    const thrown = run.task?.verdict ?? ('error' in end ? end : undefined);
    if (thrown)
      this.complain(
        run.attempt.claimed,
        `threw after its transaction had committed: ${'error' in thrown ? lineOf(thrown.error, maskOf(run)) : 'snoozed'}`,
      );
    return this.succeed(run, end.type === 'returned' ? end.value : undefined);
  }

  /**
   * The lease is gone, and most likely another runner has the task: no hook is called. A success is offered all the same, as
   * the store takes it where nobody has claimed the task since; but not without its `afterRun`, which may carry on a chain.
   */
  private lost(run: Run, end: End): Outcome {
    const isSuccess = end.type === 'returned' && !run.task?.verdict && !this.hasAfterRun(run);
    return isSuccess ? this.successOf(run.attempt, end.value) : { type: 'handed-back' };
  }

  private succeed(run: Run, value: unknown): Outcome | Promise<Outcome> {
    if (!this.hasAfterRun(run)) return this.success(run, value);
    return this.afterwards(async () => {
      await this.afterRun(run, true, { willRetry: false, result: value });
      return this.success(run, value);
    });
  }

  /** What follows a run: a drain does not wait for it. The task is then handed back, since it is not all done. */
  private async afterwards(conclude: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await conclude();
    } catch (thrown) {
      if (thrown instanceof CutOff) return { type: 'handed-back' };
      throw thrown;
    }
  }

  /** Hooks and rules may hang like a run: beyond the job's timeout their slot does not wait for them either. */
  private async bounded<T>(run: Run, what: string, begin: () => Promise<T>, otherwise: T): Promise<T> {
    const work = async (): Promise<End> => ({ type: 'returned', value: await begin() });
    const end = await new Promise<End>((reached) => this.patience.waitFor(run, work, reached));
    if (end.type === 'returned') return end.value as T;
    if (end.type === 'handed-back') throw new CutOff();
    this.complain(run.attempt.claimed, `${what} did not end within the timeout`);
    return otherwise;
  }

  private success(run: Run, value: unknown): Outcome {
    this.lines.succeeded(run.attempt.claimed, run.startedAt);
    return this.successOf(run.attempt, value);
  }

  /** What a success is stored as. */
  successOf({ claimed }: Attempt, value: unknown): Outcome {
    const keepMs = claimed.keepMs ?? this.retention.succeededMs();
    return { type: 'succeeded', result: keepMs > 0 ? this.resultText(claimed, value) : undefined, keepMs };
  }

  private async fail(run: Run, error: unknown, mayRetry: boolean): Promise<Outcome> {
    const { claimed } = run.attempt;
    const failed = {
      job: claimed.job,
      attempt: claimed.attempt,
      failures: claimed.failures + 1,
      error,
      mayRetry,
    };
    const mask = maskOf(run);
    const report = (rule: string, thrown: unknown) =>
      this.complain(claimed, `${rule} failed: ${lineOf(thrown, mask)}`);
    const rules = this.rulesOf(run);
    const byDefault = await nextAttemptInMs(
      failed,
      { ...rules, retryDelay: undefined, shouldRetry: undefined },
      report,
    );
    const wished =
      rules.retryDelay || rules.shouldRetry
        ? await this.bounded(run, 'its retry rule', () => nextAttemptInMs(failed, rules, report), byDefault)
        : byDefault;
    const delayMs = wished === undefined || !this.isAfterNextSlot(run, wished) ? wished : undefined;
    await this.afterRun(run, false, { willRetry: delayMs !== undefined, error });
    const stored = storedError(error, mask);
    const durationMs = this.durationOf(run);
    run.attempt.line = () => this.lines.failed(claimed, durationMs, stored, delayMs);
    return delayMs === undefined
      ? { type: 'dead', error: stored, keepMs: this.retention.deadMs() }
      : { type: 'retry', error: stored, delayMs };
  }

  private durationOf({ startedAt }: Run): number {
    return Math.round(this.clock.elapsed() - startedAt);
  }

  /** Whether the next slot of its schedule comes first, which is the better retry. */
  private isAfterNextSlot(
    { attempt: { claimed }, extra: { retryBefore }, startedAt }: Run,
    delayMs: number,
  ): boolean {
    if (retryBefore === undefined) return false;
    // An epoch is drawn from the store's clock at the claim, in microseconds: ours may be wrong.
    const now = claimed.epoch / 1_000 + (this.clock.elapsed() - startedAt);
    return now + delayMs >= retryBefore;
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
    this.lines.cancelled(claimed, this.durationOf(run));
    return { type: 'cancelled', reason: 'cancelled', keepMs: this.retention.cancelledMs() };
  }

  /** Its run was not begun, since another task holds its lock. */
  private async rejected(run: Run, error: LockConflictError): Promise<Outcome> {
    const { claimed } = run.attempt;
    await this.afterRun(run, false, { willRetry: false, error });
    this.lines.rejected(claimed, error.holder);
    const reason = `task ${error.holder} holds its lock`;
    return { type: 'cancelled', reason, keepMs: this.retention.cancelledMs() };
  }

  private hasAfterRun({ task, handler }: Run): boolean {
    return task !== undefined && this.hooks.has('afterRun', handler?.instance ?? {});
  }

  private async afterRun(run: Run, success: boolean, end: Parameters<Task['end']>[0]): Promise<void> {
    const { handler, task } = run;
    if (!task || !this.hasAfterRun(run)) return;
    task.end(end);
    const hooks = () => this.hooks.after('afterRun', handler?.instance ?? {}, success, task);
    await this.bounded(run, 'afterRun', hooks, undefined);
  }

  private resultText(claimed: ClaimedTask, value: unknown): string | undefined {
    try {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined || Buffer.byteLength(text) <= this.resultLimit) return text;
      this.complain(claimed, 'its result exceeds payloadLimit and is not kept');
    } catch (error) {
      this.complain(claimed, `its result is no JSON and is not kept: ${lineOf(error)}`);
    }
    return undefined;
  }

  private complain(claimed: ClaimedTask, what: string): void {
    this.log.write('error', claimed.job, `task ${claimed.id}: ${what}`, undefined, taskFields(claimed));
  }
}

/** Takes out of what is said about a run what is not to be seen of its params; undefined where all may be. */
function maskOf({ redaction, attempt, task }: Run): Mask | undefined {
  return redaction?.maskOf(attempt.claimed.params, task?.params);
}
