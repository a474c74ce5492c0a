import type { ClaimedTask } from '../backend.js';
import type { Outcome, Settlement } from '../../task/outcome.js';
import type {
  Failure,
  LockConflict,
  LockPhase,
  NewTask,
  TaskLock,
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
  repeat,
}: Settlement): Record<string, unknown> {
  return { queue, id, epoch, type: outcome.type, is_repeat: repeat, ...outcomeArgument(outcome) };
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

type Value = string | number | boolean | null;

/** A task in the form that `claimed_text` gives it. */
export function readClaimed(
  queues: readonly { readonly queue: string }[],
  row: readonly Value[],
): ClaimedTask {
  return {
    queue: queues[row[0] as number]!.queue,
    id: row[1] as string,
    epoch: row[2] as number,
    job: row[3] as string,
    params: row[4] as string,
    extra: (row[5] as string | null) ?? undefined,
    priority: row[6] as number,
    enqueuedAt: row[7] as number,
    dueAt: row[8] as number,
    attempt: row[9] as number,
    failures: row[10] as number,
    retries: row[11] as number,
    keepMs: (row[12] as number | null) ?? undefined,
    scheduleId: (row[13] as string | null) ?? undefined,
    slot: (row[14] as number | null) ?? undefined,
    lock: row[15] === null ? undefined : readLock(row.slice(15, 20)),
    conflictsWith: (row[20] as string | null) ?? undefined,
  };
}

function readLock([key, phase, onConflict, ttlMs, retryAfterMs]: readonly Value[]): TaskLock {
  return {
    key: key as string,
    phase: phase as LockPhase,
    onConflict: onConflict as LockConflict,
    ...(ttlMs === null ? undefined : { ttlMs: ttlMs as number }),
    ...(retryAfterMs === null ? undefined : { retryAfterMs: retryAfterMs as number }),
  };
}

/** A task in the form that `record_of` gives it. */
export function readRecord(queue: string, row: readonly unknown[]): TaskRecord {
  const maybe = <T>(at: number) => (row[at] as T | null) ?? undefined;
  const isPending = row[4] === 'pending';
  return {
    queue,
    id: row[0] as string,
    job: row[1] as string,
    params: row[2] as string,
    extra: maybe<string>(3),
    state: row[4] as TaskState,
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
    runner: isPending ? maybe<string>(16) : undefined,
    leaseEndsAt: isPending ? maybe<number>(17) : undefined,
    cancelRequested: row[18] as boolean,
    finishedAt: maybe<number>(19),
    lock: row[20] === null ? undefined : readLock(row.slice(20, 25) as Value[]),
    scheduleId: maybe<string>(25),
    slot: maybe<number>(26),
  };
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms);
}
