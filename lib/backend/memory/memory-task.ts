import type { ClaimedTask } from '../backend.js';
import {
  keptFailures,
  type Failure,
  type NewTask,
  type TaskLock,
  type TaskRecord,
  type TaskState,
} from '../../task/task-record.js';
import type { StoredError } from '../../task/outcome.js';
import type { HeapMember } from './heap.js';

/** A task as the memory store holds it; only its queue writes to it. */
export class MemoryTask implements HeapMember {
  position = -1;
  readonly queue: string;
  readonly id: string;
  readonly enqueuedAt: number;
  token!: string;
  job!: string;
  params!: string;
  extra: string | undefined;
  state: TaskState = 'scheduled';
  priority!: number;
  dueAt!: number;
  expiresAt: number | undefined;
  attempt = 0;
  failures = 0;
  retries!: number;
  keepMs: number | undefined;
  errors: Failure[] | undefined;
  result: string | undefined;
  reason: string | undefined;
  runner: string | undefined;
  leaseEndsAt = 0;
  /** The latest claim's, also after it was settled: a repeated settle is known by it. */
  epoch = 0;
  cancelRequested = false;
  finishedAt: number | undefined;
  removeAt = Infinity;
  lock: TaskLock | undefined;
  scheduleId: string | undefined;
  slot: number | undefined;

  constructor(
    task: NewTask,
    /** The queue's arrival number. */
    readonly arrival: number,
    now: number,
  ) {
    this.queue = task.queue;
    this.id = task.id;
    this.enqueuedAt = now;
    this.describe(task, now);
  }

  /** Takes over what an enqueue says. */
  describe(task: NewTask, now: number): void {
    this.token = task.token;
    this.job = task.job;
    this.params = task.params;
    this.extra = task.extra;
    this.priority = task.priority;
    this.dueAt = 'at' in task.due ? task.due.at : now + task.due.inMs;
    this.expiresAt =
      task.expires && ('at' in task.expires ? task.expires.at : this.dueAt + task.expires.inMs);
    this.retries = task.retries;
    this.keepMs = task.keepMs;
    this.lock = task.lock;
    this.scheduleId = task.scheduleId;
    this.slot = task.slot;
  }

  addError(error: StoredError, now: number): void {
    const errors = (this.errors ??= []);
    errors.push({ ...error, attempt: this.attempt, at: now });
    if (errors.length > keptFailures) errors.shift();
  }

  claimed(conflictsWith: string | undefined): ClaimedTask {
    return {
      queue: this.queue,
      id: this.id,
      epoch: this.epoch,
      job: this.job,
      params: this.params,
      extra: this.extra,
      priority: this.priority,
      enqueuedAt: this.enqueuedAt,
      dueAt: this.dueAt,
      attempt: this.attempt,
      failures: this.failures,
      retries: this.retries,
      keepMs: this.keepMs,
      scheduleId: this.scheduleId,
      slot: this.slot,
      lock: this.lock,
      conflictsWith,
    };
  }

  record(): TaskRecord {
    const isPending = this.state === 'pending';
    return {
      queue: this.queue,
      id: this.id,
      job: this.job,
      params: this.params,
      extra: this.extra,
      state: this.state,
      priority: this.priority,
      enqueuedAt: this.enqueuedAt,
      dueAt: this.dueAt,
      expiresAt: this.expiresAt,
      attempt: this.attempt,
      failures: this.failures,
      retries: this.retries,
      keepMs: this.keepMs,
      errors: [...(this.errors ?? [])],
      result: this.result,
      reason: this.reason,
      runner: isPending ? this.runner : undefined,
      leaseEndsAt: isPending ? this.leaseEndsAt : undefined,
      cancelRequested: this.cancelRequested,
      finishedAt: this.finishedAt,
      lock: this.lock,
      scheduleId: this.scheduleId,
      slot: this.slot,
    };
  }
}
