import type { ClaimedTask, LeaseGuard } from '../backend/backend.js';
import { LeaseLostError, type LockConflictError } from '../task/errors.js';
import type { Lease, Outcome } from '../task/outcome.js';
import type { ParkReason, TaskNotes } from '../task/task-record.js';
import type { Task, TaskJournal } from '../task/task.js';
import { RunNotes } from './run-notes.js';

/** How an attempt came to its end. */
export type End =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'timed-out'; readonly error: Error }
  | { readonly type: 'unrunnable'; readonly reason: ParkReason; readonly why: string }
  /** Another task holds its lock: it was not begun. */
  | { readonly type: 'conflict'; readonly error: LockConflictError }
  | { readonly type: 'handed-back' };

/** Takes down what runs say about their tasks. */
export interface Scribe {
  /** The time of a line. */
  now(): number;
  /** There is something to be sent. */
  noted(attempt: Attempt): void;
}

const handedBack: End = { type: 'handed-back' };

/** One claimed task while this process has it: what the runner can say to a run, and what becomes of it. */
export class Attempt implements TaskJournal {
  /** When the lease ends, by this process's clock; moved on by each renewal. */
  leaseEndsAt: number;
  /** Up to when the store itself has prolonged it, so that nobody else can have the task; not moved on while a transaction has it in hand. */
  keptUntil: number;
  /** The store has said that it ended, whatever we know of it. */
  isLeaseOver = false;
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
  /** One has the task in hand, for as long as it is open: its lease cannot be renewed then, nor can anybody else have the task. */
  isInHand = false;
  /** Nothing of it runs any more: what becomes of its lease concerns the outcome alone. */
  hasOutcome = false;
  /** When the run began and ended, by this process's clock; both are 0 where it did not begin. */
  startedAt = 0;
  endedAt = 0;
  /** The line about its end, to be written once the store has that. */
  line: (() => void) | undefined;
  /** Who renews the lease beside us, and by which number it knows it. */
  guarded: { readonly guard: LeaseGuard; readonly row: number } | undefined;
  /** What the run has said about its task; most say nothing. */
  notes: RunNotes | undefined;
  private task: Task<never> | undefined;
  /** Made for a transaction alone. */
  private losing: AbortController | undefined;
  private passing: AbortController | undefined;
  private reason: Error | undefined;
  private finish: ((end: End) => void) | undefined;

  constructor(
    readonly claimed: ClaimedTask,
    leaseEndsAt: number,
    private readonly scribe: Scribe,
  ) {
    this.leaseEndsAt = leaseEndsAt;
    this.keptUntil = leaseEndsAt;
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

  /** Its lease lasts until then; by the store's own word, unless a transaction has the task in hand. */
  prolong(until: number, isKept: boolean): void {
    this.leaseEndsAt = Math.max(this.leaseEndsAt, until);
    if (isKept) this.keptUntil = Math.max(this.keptUntil, until);
  }

  /** The handler's view of the attempt: it hears what was said before it was there. */
  opened(task: Task<never>): void {
    this.task = task;
    if (this.reason) task.abort(this.reason);
  }

  log(message: string): void {
    // Of a handler that goes on after its attempt has ended nothing is kept.
    if (this.hasOutcome) return;
    (this.notes ??= new RunNotes()).log(message, this.scribe.now());
    this.scribe.noted(this);
  }

  progress(percent: number, note?: string): void {
    if (this.hasOutcome) return;
    (this.notes ??= new RunNotes()).progress(percent, note);
    this.scribe.noted(this);
  }

  /** Undefined where the run did not begin. */
  get durationMs(): number | undefined {
    return this.startedAt > 0 ? Math.round(this.endedAt - this.startedAt) : undefined;
  }

  /** What is to be stored with its outcome; nothing where the record goes with it. */
  notesWith(outcome: Outcome): TaskNotes | undefined {
    if (!this.notes || ('keepMs' in outcome && outcome.keepMs <= 0)) return undefined;
    return this.notes.left;
  }

  /** Aborts when nothing of the run can count any more: its lease is lost, or its time is over. */
  get lost(): AbortSignal {
    if (!this.losing) {
      this.losing = new AbortController();
      if (this.isLost || this.isOver) this.losing.abort(this.overdue('has ended'));
    }
    return this.losing.signal;
  }

  /** Aborts when its time is over. */
  get over(): AbortSignal {
    if (!this.passing) {
      this.passing = new AbortController();
      if (this.isOver) this.passing.abort(this.overdue('has ended'));
    }
    return this.passing.signal;
  }

  /** Tells the handler to stop, once; its outcome still counts. */
  abort(reason: Error): void {
    this.reason ??= reason;
    this.task?.abort(this.reason);
    if (reason instanceof LeaseLostError) this.losing?.abort(reason);
  }

  timeOut(error: Error): void {
    this.isOver = true;
    this.abort(error);
    this.losing?.abort(this.overdue('timed out'));
    this.passing?.abort(this.overdue('timed out'));
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

  private overdue(how: string): LeaseLostError {
    return new LeaseLostError(`task ${this.claimed.id} is no longer this run's: it ${how}`);
  }

  /** Ends the attempt without an outcome of its own. */
  handBack(): void {
    this.isOver = true;
    this.passing?.abort(this.overdue('was handed back'));
    this.finish?.(handedBack);
  }
}

/** Those of these attempts that have one of these leases. */
export function attemptsOf(attempts: Iterable<Attempt>, leases: readonly Lease[]): ReadonlySet<Attempt> {
  if (leases.length === 0) return noAttempts;
  const names = new Set(leases.map(leaseName));
  return new Set(Array.from(attempts).filter(({ claimed }) => names.has(leaseName(claimed))));
}

const noAttempts: ReadonlySet<Attempt> = new Set();

/** Tells leases apart: a store may give one epoch to all that it claims at once. */
function leaseName({ queue, id, epoch }: Lease): string {
  return `${epoch} ${id} ${queue}`;
}
