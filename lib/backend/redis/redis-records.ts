import type { ClaimedTask } from '../backend.js';
import type { Outcome } from '../../task/outcome.js';
import type {
  Failure,
  LockConflict,
  LockPhase,
  NewTask,
  StoreTime,
  TaskLock,
  TaskRecord,
  TaskState,
} from '../../task/task-record.js';

// The formats are described at the head of lua/common.lua.
const recordSeparator = '\x1e';
export const unitSeparator = '\x1f';

/** The three arguments by which a script is told of a task. */
export function taskArguments(task: NewTask): [id: string, head: string, rest: string] {
  const { id, token, job, params, extra, scheduleId, slot, retries, keepMs, lock } = task;
  const header = `${retries}|${keepMs ?? ''}|${token === id ? '' : token}|${lock ? lockText(lock) : ''}`;
  const blob = [job, extra === undefined ? '' : `+${extra}`, scheduleId ?? '', slot ?? '', params].join(
    unitSeparator,
  );
  return [id, headOf(task), header + recordSeparator + blob];
}

function headOf({ id, token, priority, due, expires, replace, lock }: NewTask): string {
  const isPlain =
    id === token && priority === 0 && !expires && !replace && !lock && 'inMs' in due && due.inMs === 0;
  if (isPlain) return 'P';
  return `S|${priority}|${timeText(due)}|${expires ? timeText(expires) : ''}|${replace ? 1 : 0}`;
}

function timeText(time: StoreTime): string {
  return 'at' in time ? `a${Math.round(time.at)}` : `i${Math.round(time.inMs)}`;
}

function lockText({ phase, onConflict, ttlMs, retryAfterMs, key }: TaskLock): string {
  return [phase, onConflict, ttlMs ?? '', retryAfterMs ?? '', key].join(',');
}

/** What was said at enqueue, read from a stored value. */
function readGiven(value: string) {
  const end = value.indexOf(recordSeparator);
  const [, , enqueuedAt, expiresAt, retries, keepMs, , ...lock] = value.slice(0, end).split('|');
  const [job, extra, scheduleId, slot, ...params] = value.slice(end + 1).split(unitSeparator);
  return {
    job: job!,
    params: params.join(unitSeparator),
    extra: extra ? extra.slice(1) : undefined,
    enqueuedAt: Number(enqueuedAt),
    expiresAt: expiresAt ? Number(expiresAt) : undefined,
    retries: Number(retries),
    keepMs: keepMs ? Number(keepMs) : undefined,
    scheduleId: scheduleId || undefined,
    slot: slot ? Number(slot) : undefined,
    priority: priorityIn(value),
    lock: readLock(lock.join('|')),
  };
}

function priorityIn(value: string): number {
  const prefix = value.slice(2, value.indexOf('|', 2));
  return prefix.length > 10 ? Number(prefix.slice(10)) : 0;
}

function readLock(text: string): TaskLock | undefined {
  if (text === '') return undefined;
  const [phase, onConflict, ttlMs, retryAfterMs, ...key] = text.split(',');
  return {
    phase: phase as LockPhase,
    onConflict: onConflict as LockConflict,
    key: key.join(','),
    ...(ttlMs ? { ttlMs: Number(ttlMs) } : {}),
    ...(retryAfterMs ? { retryAfterMs: Number(retryAfterMs) } : {}),
  };
}

/** Eight values of a claim's reply. Written out: it is done for every task that runs. */
export function readClaimed(queue: string, reply: readonly unknown[], at: number): ClaimedTask {
  const given = readGiven(reply[at + 7] as string);
  return {
    queue,
    id: reply[at + 1] as string,
    epoch: Number(reply[at + 2]),
    job: given.job,
    params: given.params,
    extra: given.extra,
    priority: given.priority,
    enqueuedAt: given.enqueuedAt,
    dueAt: Number(reply[at + 5]),
    attempt: Number(reply[at + 3]),
    failures: Number(reply[at + 4]),
    retries: given.retries,
    keepMs: given.keepMs,
    scheduleId: given.scheduleId,
    slot: given.slot,
    lock: given.lock,
    conflictsWith: (reply[at + 6] as string) || undefined,
  };
}

/** Nine values of a read's reply. */
export function readRecord(queue: string, reply: readonly string[], at: number): TaskRecord {
  const [id, state, dueAt, leaseEndsAt, value, run, errors, result, reason] = reply.slice(at, at + 9);
  const [, , attempt, failures, , cancel, , , , finishedAt, ...runner] = run ? run.split('|') : [];
  return {
    queue,
    id: id!,
    ...readGiven(value!),
    state: state as TaskState,
    dueAt: Number(dueAt),
    attempt: Number(attempt ?? 0),
    failures: Number(failures ?? 0),
    errors: errors ? (JSON.parse(`[${errors}]`) as Failure[]) : [],
    result: result ? result.slice(1) : undefined,
    reason: reason?.split(unitSeparator)[0] || undefined,
    runner: state === 'pending' ? runner.join('|') : undefined,
    leaseEndsAt: leaseEndsAt ? Number(leaseEndsAt) : undefined,
    cancelRequested: cancel === '1',
    finishedAt: finishedAt ? Number(finishedAt) : undefined,
  };
}

/** The three arguments by which a script is told of an outcome. */
export function outcomeArguments(outcome: Outcome, isRepeat: boolean): [kind: string, a: string, b: string] {
  const [kind, a, b] = plainArguments(outcome);
  return [isRepeat ? kind.toUpperCase() : kind, a, b];
}

function plainArguments(outcome: Outcome): [string, string, string] {
  switch (outcome.type) {
    case 'succeeded':
      return ['s', keepText(outcome.keepMs), outcome.result === undefined ? '' : `+${outcome.result}`];
    case 'retry':
      return ['r', String(Math.round(outcome.delayMs)), JSON.stringify(outcome.error)];
    case 'dead':
      return ['d', keepText(outcome.keepMs), JSON.stringify(outcome.error)];
    case 'cancelled':
      return ['c', keepText(outcome.keepMs), outcome.reason];
    case 'snoozed':
    case 'conflict':
      return ['z', String(Math.round(outcome.delayMs)), ''];
    case 'handed-back':
      return ['h', '', ''];
    case 'parked':
      return ['x', outcome.fingerprint ?? '', outcome.reason];
  }
}

/** How long a record stays: milliseconds, or 'inf' for good. */
export function keepText(keepMs: number): string {
  return keepMs === Infinity ? 'inf' : String(Math.round(keepMs));
}
