import type { Added } from '../answers.js';
import type { ClaimedTask } from '../backend.js';
import {
  keptFailures,
  keptLines,
  type Failure,
  type LastRun,
  type NewTask,
  type TaskLock,
  type TaskNotes,
  type TaskRecord,
  type TaskState,
} from '../../task/task-record.js';
import type { StoredError } from '../../task/outcome.js';

/** A task as the memory store holds it; only its queue writes to it. */
export class MemoryTask {
  state: TaskState = 'scheduled';
  priority!: number;
  dueAt!: number;
  attempt = 0;
  failures = 0;
  /** The latest claim's, also after it was settled: a repeated settle is known by it. */
  epoch = 0;
  /** Of a claim whose lease ended, until the next claim: its success still counts. */
  lostEpoch = 0;
  startedAt = 0;
  leaseEndsAt = 0;
  /** Whether the latest claim met a lock, so that its run did not begin. */
  isInConflict = false;
  /** Of the run that is under way, or with which the task ended. */
  runner: string | undefined = undefined;
  expiresAt: number | undefined = undefined;
  removeAt: number | undefined = undefined;
  finishedAt: number | undefined = undefined;
  cancelRequested = false;
  errors: Failure[] | undefined = undefined;
  /** Replaced as a whole, never changed: records share it. */
  notes: TaskNotes | undefined = undefined;
  result: string | undefined = undefined;
  reason: string | undefined = undefined;
  private hasBegun = false;
  /** What the enqueue said; kept whole, as most of it is only handed on. */
  given!: NewTask;

  constructor(
    task: NewTask,
    /** The queue's arrival number. */
    readonly arrival: number,
    readonly enqueuedAt: number,
  ) {
    this.describe(task, enqueuedAt);
  }

  get id(): string {
    return this.given.id;
  }

  get lock(): TaskLock | undefined {
    return this.given.lock;
  }

  /** Whether a first run has begun, even where its attempt was given back; one that a lock kept from running has not. */
  get hasStarted(): boolean {
    return this.hasBegun || this.attempt > 0;
  }

  /** Whether it runs again though its lease has ended. */
  get outlivesItsLease(): boolean {
    return !this.cancelRequested && (this.isInConflict || this.attempt <= this.given.retries);
  }

  /** When the latest run was claimed: as elsewhere, by its epoch, which is drawn from the time in microseconds. */
  private get runStartedAt(): number {
    return Math.floor((this.epoch || this.lostEpoch) / 1_000);
  }

  private get lastRun(): LastRun | undefined {
    const { state, finishedAt, runner } = this;
    const endedByRun = state === 'succeeded' || state === 'dead' || (state === 'cancelled' && runner);
    if (!endedByRun || this.isInConflict) return undefined;
    return { startedAt: this.runStartedAt, endedAt: finishedAt!, runner };
  }

  /** Counts a claim; `conflictsWith` keeps its run from beginning. */
  begin(conflictsWith: string | undefined): void {
    this.attempt++;
    this.isInConflict = conflictsWith !== undefined;
    this.hasBegun ||= !this.isInConflict;
  }

  /** Forgets all runs. */
  startAnew(): void {
    this.attempt = 0;
    this.failures = 0;
    this.epoch = 0;
    this.lostEpoch = 0;
    this.isInConflict = false;
    this.hasBegun = false;
    this.runner = undefined;
    this.notes = undefined;
    this.result = undefined;
    this.reason = undefined;
    this.finishedAt = undefined;
    this.removeAt = undefined;
    this.cancelRequested = false;
  }

  /** The answer to an enqueue of its id, where that alone settles the matter. */
  answerTo({ token, replace }: NewTask): Added | undefined {
    if (this.given.token === token) return { status: 'enqueued' };
    const isFree = this.state === 'dead' || this.state === 'cancelled';
    const staysAsItIs = this.state === 'pending' || (!isFree && !replace);
    return staysAsItIs ? { status: 'existing' } : undefined;
  }

  /**
   * Whether it, the holder of a lock, takes over what a new task says: where it has not started, or is parked; not where that
   * is to replace the one of its own id.
   */
  givesWayTo({ lock, replace }: NewTask, existing?: MemoryTask): boolean {
    if (lock!.onConflict !== 'replace' || (existing && replace)) return false;
    return !this.hasStarted || this.state === 'parked';
  }

  /** Takes over what an enqueue says; the id stays. */
  describe(task: NewTask, now: number): void {
    this.given = this.given && this.given.id !== task.id ? { ...task, id: this.given.id } : task;
    this.priority = task.priority;
    this.dueAt = 'at' in task.due ? task.due.at : now + task.due.inMs;
    this.expiresAt =
      task.expires && ('at' in task.expires ? task.expires.at : this.dueAt + task.expires.inMs);
  }

  addError(error: StoredError, now: number): void {
    const errors = (this.errors ??= []);
    const { attempt, runStartedAt: startedAt, runner } = this;
    errors.push({ ...error, attempt, startedAt, runner, at: now });
    if (errors.length > keptFailures) errors.shift();
  }

  note({ progress = this.notes?.progress, lines }: TaskNotes): void {
    const kept = this.notes?.lines;
    this.notes = { progress, lines: lines ? [...(kept ?? []), ...lines].slice(-keptLines) : kept };
  }

  claimed(conflictsWith: string | undefined): ClaimedTask {
    const { given } = this;
    return {
      queue: given.queue,
      id: given.id,
      epoch: this.epoch,
      job: given.job,
      params: given.params,
      extra: given.extra,
      priority: this.priority,
      enqueuedAt: this.enqueuedAt,
      dueAt: this.dueAt,
      attempt: this.attempt,
      failures: this.failures,
      retries: given.retries,
      keepMs: given.keepMs,
      scheduleId: given.scheduleId,
      slot: given.slot,
      lock: given.lock,
      conflictsWith,
    };
  }

  record(): TaskRecord {
    const { given } = this;
    const isPending = this.state === 'pending';
    return {
      queue: given.queue,
      id: given.id,
      job: given.job,
      params: given.params,
      extra: given.extra,
      state: this.state,
      priority: this.priority,
      enqueuedAt: this.enqueuedAt,
      dueAt: this.dueAt,
      expiresAt: this.expiresAt,
      attempt: this.attempt,
      failures: this.failures,
      retries: given.retries,
      keepMs: given.keepMs,
      errors: [...(this.errors ?? [])],
      result: this.result,
      reason: this.reason,
      progress: this.notes?.progress,
      lines: this.notes?.lines,
      runner: isPending ? this.runner : undefined,
      startedAt: isPending ? this.startedAt : undefined,
      leaseEndsAt: isPending ? this.leaseEndsAt : undefined,
      cancelRequested: this.cancelRequested,
      finishedAt: this.finishedAt,
      lastRun: this.lastRun,
      lock: given.lock,
      scheduleId: given.scheduleId,
      slot: given.slot,
    };
  }
}
