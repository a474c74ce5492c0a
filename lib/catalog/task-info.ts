import type {
  Failure,
  LastRun,
  TaskLine,
  TaskLock,
  TaskProgress,
  TaskRecord,
  TaskRef,
  TaskState,
} from '../task/task-record.js';
import { readJson } from './json-text.js';

/** A task as the store holds it, readable. Times are the store's. */
export interface TaskInfo extends TaskRef {
  readonly job: string;
  readonly state: TaskState;
  /** Undefined where there are none, or where they are no JSON. */
  readonly params: unknown;
  /** As they are stored. */
  readonly paramsText: string;
  /** Lower first. */
  readonly priority: number;
  /** Claims that were not given back. */
  readonly attempt: number;
  /** Failed and lost attempts. */
  readonly failures: number;
  /** Attempts allowed after the first. */
  readonly retries: number;
  /** The latest 100 failed and lost attempts, oldest first. */
  readonly errors: readonly FailureInfo[];
  /** What the handler returned, while a succeeded task is kept. */
  readonly result: unknown;
  readonly resultText: string | undefined;
  /** Why it was cancelled or parked. */
  readonly reason: string | undefined;
  readonly progress: TaskProgress | undefined;
  /** The latest 100 lines that `task.log` wrote, oldest first. */
  readonly lines: readonly LineInfo[];
  /** Who runs it. */
  readonly runner: string | undefined;
  /** It is asked to stop. */
  readonly cancelRequested: boolean;
  readonly lock: TaskLockInfo | undefined;
  readonly scheduleId: string | undefined;
  /** The moment of its schedule that it was made for. */
  readonly slot: Date | undefined;
  readonly enqueuedAt: Date;
  readonly dueAt: Date;
  /** A first attempt that has not begun by then is cancelled. */
  readonly expiresAt: Date | undefined;
  /** When the run that is under way was claimed. */
  readonly startedAt: Date | undefined;
  readonly leaseEndsAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** The run that a finished task ended with; undefined where it ended without one. */
  readonly lastRun: LastRunInfo | undefined;
  /** From due time to the start of the run that is under way. */
  readonly waitedMs: number | undefined;
  /** How long the run that is under way has lasted, at the time of the answer. */
  readonly runningMs: number | undefined;
  /** How long it stays after success. */
  readonly keepMs: number | undefined;
  /** What else was stored with it at its enqueue, such as a backoff of its own, or a trace. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface FailureInfo extends Omit<Failure, 'at' | 'startedAt'> {
  readonly at: Date;
  /** When the attempt was claimed. */
  readonly startedAt: Date | undefined;
  /** From then on until the failure was stored, by the store's clock. */
  readonly runMs: number | undefined;
}

/** A run that is over. */
export interface LastRunInfo {
  /** When it was claimed. */
  readonly startedAt: Date;
  /** When its outcome was stored, or its lease was found ended. */
  readonly endedAt: Date;
  /** From the one to the other, by the store's clock. */
  readonly runMs: number;
  readonly runner: string | undefined;
}

export interface LineInfo extends Omit<TaskLine, 'at'> {
  /** By the clock of the process that ran it. */
  readonly at: Date;
}

export interface TaskLockInfo extends TaskLock {
  /** The task that holds it now; said by `task` alone, not in lists. */
  readonly holder: string | undefined;
}

/** What is known of a task beside its record. */
export interface BesideRecord {
  /** The store's time. */
  readonly now?: number;
  readonly holder?: string;
}

/** Reads a record that has passed the redaction. */
export function taskInfo(record: TaskRecord, { now, holder }: BesideRecord = {}): TaskInfo {
  const { queue, id, job, state, priority, attempt, failures, retries } = record;
  const { reason, progress, runner, scheduleId, keepMs, startedAt, lock } = record;
  return {
    queue,
    id,
    job,
    state,
    priority,
    attempt,
    failures,
    retries,
    reason,
    progress,
    runner,
    scheduleId,
    keepMs,
    params: readJson(record.params),
    paramsText: record.params,
    errors: record.errors.map(failureInfo),
    result: readJson(record.result),
    resultText: record.result,
    lines: (record.lines ?? []).map((line) => ({ ...line, at: new Date(line.at) })),
    cancelRequested: record.cancelRequested ?? false,
    lock: lock && { ...lock, holder },
    slot: dateOf(record.slot),
    enqueuedAt: new Date(record.enqueuedAt),
    dueAt: new Date(record.dueAt),
    expiresAt: dateOf(record.expiresAt),
    startedAt: dateOf(startedAt),
    leaseEndsAt: dateOf(record.leaseEndsAt),
    finishedAt: dateOf(record.finishedAt),
    lastRun: record.lastRun && lastRunInfo(record.lastRun),
    waitedMs: startedAt === undefined ? undefined : Math.max(startedAt - record.dueAt, 0),
    runningMs: startedAt === undefined || now === undefined ? undefined : Math.max(now - startedAt, 0),
    extra: extraOf(record),
  };
}

function failureInfo({ at, startedAt, ...failure }: Failure): FailureInfo {
  const runMs = startedAt === undefined ? undefined : Math.max(at - startedAt, 0);
  return { ...failure, at: new Date(at), startedAt: dateOf(startedAt), runMs };
}

function lastRunInfo({ startedAt, endedAt, runner }: LastRun): LastRunInfo {
  const runMs = Math.max(endedAt - startedAt, 0);
  return { startedAt: new Date(startedAt), endedAt: new Date(endedAt), runMs, runner };
}

export function dateOf(at: number | undefined): Date | undefined {
  return at === undefined ? undefined : new Date(at);
}

function extraOf({ extra }: TaskRecord): TaskInfo['extra'] {
  const read = readJson(extra);
  return typeof read === 'object' && read !== null ? (read as TaskInfo['extra']) : {};
}
