import type { ClaimedTask } from '../backend/backend.js';
import type { HookChain } from '../job/hook-chain.js';
import type { TaskEvents } from '../job/task-events.js';
import { Attempt } from '../runner/attempt.js';
import type { Executor } from '../runner/executor.js';
import { tellEnd } from '../runner/run-events.js';
import type { Clock } from '../task/clock.js';
import { AttemptsExhaustedError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import type { TaskRef } from '../task/task-record.js';
import type { Task } from '../task/task.js';
import { runOutcome, type RunEnd, type RunOutcome } from './run-outcome.js';

/** Runs one task apart from any runner: hooks, checks and enhancers as in production. */
export class SingleRuns {
  private readonly ends = new Map<string, RunEnd | undefined>();

  constructor(
    private readonly executor: Executor,
    private readonly events: TaskEvents,
    private readonly clock: Clock,
    hooks: HookChain,
  ) {
    // The outcome holds what is to be stored: who wants the error itself must hear of it before.
    hooks.add({ afterRun: (_success, task: Task<never>) => this.noted(task) });
  }

  /** `store` gets the outcome before anybody is told of it. */
  async run<R>(
    claimed: ClaimedTask,
    { signal, store }: { signal?: AbortSignal; store?: (outcome: Outcome) => Promise<unknown> } = {},
  ): Promise<RunOutcome<R>> {
    const name = nameOf(claimed);
    this.ends.set(name, undefined);
    const attempt = new Attempt(claimed, Infinity);
    const cancel = () => attempt.cancel(signal!.reason as Error);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const outcome = await new Promise<Outcome>((reached) => this.executor.execute(attempt, reached));
      attempt.endedAt = this.clock.elapsed();
      await store?.(outcome);
      tellEnd(this.events, attempt, outcome);
      return runOutcome<R>(outcome, this.ends.get(name) ?? unbegun(claimed));
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.ends.delete(name);
    }
  }

  private noted(task: Task<never>): void {
    const name = nameOf(task);
    if (this.ends.has(name)) this.ends.set(name, { error: task.error, result: task.result });
  }
}

/** Of a task that had too many attempts no handler is made, and no hook is told. */
function unbegun({ job, attempt, retries }: ClaimedTask): RunEnd | undefined {
  if (attempt <= retries + 1) return undefined;
  return { error: new AttemptsExhaustedError(job, attempt, retries), result: undefined };
}

function nameOf({ queue, id }: TaskRef): string {
  return `${queue}\n${id}`;
}
