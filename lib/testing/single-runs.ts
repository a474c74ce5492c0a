import type { ClaimedTask } from '../backend/backend.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { TaskEvents } from '../job/task-events.js';
import { Attempt, type Scribe } from '../runner/attempt.js';
import { drain } from '../runner/drain.js';
import type { Executor } from '../runner/executor.js';
import { inOwnContext } from '../runner/own-context.js';
import { tellEnd } from '../runner/run-events.js';
import { TurningPoint } from '../runner/turning-point.js';
import type { Clock } from '../task/clock.js';
import { AttemptsExhaustedError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import type { TaskNotes, TaskRef } from '../task/task-record.js';
import type { Task } from '../task/task.js';
import { runOutcome, type RunEnd, type RunOutcome } from './run-outcome.js';

/** Takes an outcome, and what the run has said about its task. */
type Store = (outcome: Outcome, notes: TaskNotes | undefined) => Promise<unknown>;

interface RunOptions {
  readonly signal?: AbortSignal;
  readonly store?: Store;
}

/** Runs one task apart from any runner: hooks, checks and enhancers as in production. */
export class SingleRuns implements Scribe {
  private readonly ends = new Map<string, RunEnd | undefined>();
  private readonly running = new Set<Attempt>();
  private readonly over: TurningPoint;

  constructor(
    private readonly executor: Executor,
    private readonly events: TaskEvents,
    private readonly clock: Clock,
    private readonly registry: JobRegistry,
  ) {
    this.over = new TurningPoint(clock, () => this.running.size === 0);
    // The outcome holds what is to be stored: who wants the error itself must hear of it before.
    registry.hooks.add({ afterRun: (_success, task: Task<never>) => this.ended(task) });
  }

  /** `store` gets the outcome before anybody is told of it. The caller's asynchronous context is not that of the task. */
  run<R>(claimed: ClaimedTask, options: RunOptions = {}): Promise<RunOutcome<R>> {
    return inOwnContext(() => this.runApart<R>(claimed, options));
  }

  private async runApart<R>(claimed: ClaimedTask, { signal, store }: RunOptions): Promise<RunOutcome<R>> {
    const name = nameOf(claimed);
    this.ends.set(name, undefined);
    const attempt = new Attempt(claimed, Infinity, this);
    this.running.add(attempt);
    const cancel = () => attempt.cancel(signal!.reason as Error);
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const outcome = await new Promise<Outcome>((reached) => this.executor.execute(attempt, reached));
      attempt.hasOutcome = true;
      attempt.endedAt = this.clock.elapsed();
      await store?.(outcome, attempt.notesWith(outcome));
      tellEnd(this.events, attempt, outcome, this.registry);
      return runOutcome<R>(outcome, this.ends.get(name) ?? unbegun(claimed));
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.ends.delete(name);
      this.running.delete(attempt);
      this.over.changed();
    }
  }

  /** The application ends: what runs may come to its end for so long, and is handed back then. */
  async close(patienceMs: number): Promise<void> {
    const { running, over } = this;
    await drain({
      running,
      drained: over,
      // An outcome is stored before its run is over.
      stored: over,
      unstored: () => 0,
      shutdownTimeoutMs: patienceMs,
      // Whoever began the run is told by its outcome.
      say: () => undefined,
    });
  }

  /** The time of a line that a handler writes. */
  now(): number {
    return this.clock.now();
  }

  /** Lines and progress travel with the outcome. */
  noted(): void {}

  private ended(task: Task<never>): void {
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
