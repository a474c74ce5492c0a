import type { ClaimedTask, RecoveredRun } from '../backend.js';
import type { Outcome, Settlement } from '../../task/outcome.js';
import type {
  Failure,
  LockConflict,
  LockPhase,
  NewTask,
  TaskLine,
  TaskLock,
  TaskProgress,
  TaskRecord,
  TaskState,
} from '../../task/task-record.js';

/** A task in the form of the type `new_task`; what is usual is left out. */
export function taskArgument(task: NewTask): Record<string, unknown> {
  const { queue, id, token, job, params, extra, priority, due, retries, expires, keepMs, replace, lock } =
    task;
  return {
    queue,
    id,
    token: token === id ? undefined : token,
    job,
    params,
    extra,
    priority: priority === 0 ? undefined : priority,
    ...('at' in due
      ? { at_ms: Math.round(due.at) }
      : due.inMs === 0
        ? undefined
        : { in_ms: Math.round(due.inMs) }),
    retries,
    ...(expires &&
      ('at' in expires ? { expires_at: Math.round(expires.at) } : { expires_in: Math.round(expires.inMs) })),
    keep: rounded(keepMs),
    replace: replace || undefined,
    ...(lock && {
      key: lock.key,
      phase: lock.phase,
      conflict: lock.onConflict,
      ttl: rounded(lock.ttlMs),
      retry_after: rounded(lock.retryAfterMs),
    }),
    schedule: task.scheduleId,
    slot: task.slot,
  };
}

/** An outcome in the form of the type `settlement`. */
export function settlementArgument({
  queue,
  id,
  epoch,
  outcome,
  notes,
  repeat,
}: Settlement): Record<string, unknown> {
  return { queue, id, epoch, type: outcome.type, is_repeat: repeat, ...outcomeArgument(outcome), ...notes };
}

function outcomeArgument(outcome: Outcome): Record<string, unknown> {
  switch (outcome.type) {
    case 'succeeded':
      return { ms: keepArgument(outcome.keepMs), result: outcome.result };
    case 'retry':
      return { ms: Math.round(outcome.delayMs), error: outcome.error };
    case 'dead':
      return { ms: keepArgument(outcome.keepMs), error: outcome.error };
    case 'cancelled':
      return { ms: keepArgument(outcome.keepMs), reason: outcome.reason };
    case 'snoozed':
    case 'conflict':
      return { ms: Math.round(outcome.delayMs) };
    case 'handed-back':
      return {};
    case 'parked':
      return { reason: outcome.reason, fingerprint: outcome.fingerprint };
  }
}

/** How long a record stays; undefined: for good. */
export function keepArgument(keepMs: number): number | undefined {
  return keepMs === Infinity ? undefined : Math.max(Math.round(keepMs), 0);
}

/** A task in the form that `claimed_text` gives it: what is not there is empty, and nothing follows where it is plain. */
export function readClaimed(
  queues: readonly { readonly queue: string }[],
  fields: readonly string[],
): ClaimedTask {
  const [at, id, epoch, job, params, extra, priority, enqueuedAt, dueAt, attempt, failures, retries, keepMs] =
    fields;
  return {
    queue: queues[Number(at)]!.queue,
    id: id!,
    epoch: Number(epoch),
    job: job!,
    params: params!,
    extra: extra ? extra.slice(1) : undefined,
    priority: Number(priority),
    enqueuedAt: Number(enqueuedAt),
    dueAt: Number(dueAt),
    attempt: Number(attempt),
    failures: Number(failures),
    retries: Number(retries),
    keepMs: maybeNumber(keepMs),
    receipt: fields[13] || undefined,
    scheduleId: fields[14] || undefined,
    slot: maybeNumber(fields[15]),
    lock: fields[16] ? readLock(fields.slice(16, 21)) : undefined,
    conflictsWith: fields[21] || undefined,
  };
}

/** Whether a record of a claim's answer is of the form that `recovered_text` gives it. */
export function isRecovered([at]: readonly string[]): boolean {
  return at!.startsWith('!');
}

export function readRecovered(
  queues: readonly { readonly queue: string }[],
  fields: readonly string[],
): RecoveredRun {
  const [at, id, epoch, job, attempt, dueAt, runner, foundAt, outcome, message, scheduleId, slot] = fields;
  return {
    queue: queues[Number(at!.slice(1))]!.queue,
    id: id!,
    epoch: Number(epoch),
    job: job!,
    attempt: Number(attempt),
    dueAt: Number(dueAt),
    runner: runner!,
    at: Number(foundAt),
    outcome: outcome as RecoveredRun['outcome'],
    error: message ? { name: 'LeaseLostError', message } : undefined,
    scheduleId: scheduleId || undefined,
    slot: maybeNumber(slot),
  };
}

function readLock([key, phase, onConflict, ttl, retryAfter]: readonly unknown[]): TaskLock {
  const ttlMs = maybeNumber(ttl);
  const retryAfterMs = maybeNumber(retryAfter);
  return {
    key: key as string,
    phase: phase as LockPhase,
    onConflict: onConflict as LockConflict,
    ...(ttlMs === undefined ? undefined : { ttlMs }),
    ...(retryAfterMs === undefined ? undefined : { retryAfterMs }),
  };
}

function maybeNumber(field: unknown): number | undefined {
  return field === undefined || field === null || field === '' ? undefined : Number(field);
}

/** A task in the form that `record_of` gives it. */
export function readRecord(queue: string, row: readonly unknown[]): TaskRecord {
  const maybe = <T>(at: number) => (row[at] as T | null) ?? undefined;
  const state = row[4] as TaskState;
  const isPending = state === 'pending';
  const runner = maybe<string>(16);
  // An epoch is drawn at the claim, from the time in microseconds.
  const claimedAt = Math.floor((row[29] as number) / 1_000);
  const hasRun = state === 'succeeded' || state === 'dead' || (state === 'cancelled' && runner);
  return {
    queue,
    id: row[0] as string,
    job: row[1] as string,
    params: row[2] as string,
    extra: maybe<string>(3),
    state,
    priority: row[5] as number,
    enqueuedAt: row[6] as number,
    dueAt: row[7] as number,
    expiresAt: maybe<number>(8),
    attempt: row[9] as number,
    failures: row[10] as number,
    retries: row[11] as number,
    keepMs: maybe<number>(12),
    errors: maybe<Failure[]>(13) ?? [],
    result: maybe<string>(14),
    reason: maybe<string>(15),
    progress: maybe<TaskProgress>(27),
    lines: maybe<TaskLine[]>(28),
    runner: isPending ? runner : undefined,
    startedAt: isPending ? claimedAt : undefined,
    leaseEndsAt: isPending ? maybe<number>(17) : undefined,
    cancelRequested: row[18] as boolean,
    finishedAt: maybe<number>(19),
    lastRun: hasRun && !row[30] ? { startedAt: claimedAt, endedAt: row[19] as number, runner } : undefined,
    lock: row[20] === null ? undefined : readLock(row.slice(20, 25)),
    scheduleId: maybe<string>(25),
    slot: maybe<number>(26),
  };
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}
