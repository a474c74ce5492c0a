import type { ClaimedTask, RecoveredRun } from '../backend.js';
import type {
  Failure,
  LockConflict,
  LockPhase,
  NewTask,
  StoreTime,
  TaskLine,
  TaskLock,
  TaskProgress,
  TaskRecord,
  TaskState,
} from '../../task/task-record.js';

// The formats are described at the head of lua/base.lua.
const recordSeparator = '\x1e';
export const unitSeparator = '\x1f';
export const groupSeparator = '\x1d';

/** The three arguments by which a script is told of a task. */
export function taskArguments(task: NewTask): [id: string, head: string, rest: string] {
  return [task.id, headOf(task), taskText(task)];
}

function headOf(task: NewTask): string {
  const { priority, due, expires, replace, lock } = task;
  if (isFresh(task)) return lock ? `U${lock.phase === 'while_executing' ? '' : lock.key}` : 'P';
  return `S|${priority}|${timeText(due)}|${expires ? timeText(expires) : ''}|${replace ? 1 : 0}`;
}

/** A fresh task that is due now and has neither priority, lock nor end. */
export function isPlainTask(task: NewTask): boolean {
  return !task.lock && isFresh(task);
}

/** As a plain task, but for a lock that is held from its enqueue on. */
export function isPlainUniqueTask(task: NewTask): boolean {
  return task.lock !== undefined && task.lock.phase !== 'while_executing' && isFresh(task);
}

function isFresh({ id, token, priority, due, expires, replace }: NewTask): boolean {
  return id === token && priority === 0 && !expires && !replace && 'inMs' in due && due.inMs === 0;
}

/** What a task's value ends in; the script adds the rest. */
export function taskText(task: NewTask): string {
  return `${textBeforeKey(task)}${task.lock ? task.lock.key : ''}${textBehindKey(task)}`;
}

/** The part of it that is the same for most tasks of a job. */
export function textBeforeKey({ id, token, retries, keepMs, lock }: NewTask): string {
  return `${retries}|${keepMs ?? ''}|${token === id ? '' : token}|${lock ? lockText(lock) : ''}`;
}

/** Whether that part is the same for two unique tasks whose tokens are their ids; asked of every task, so no text is made. */
export function isSameBeforeKey(a: NewTask, b: NewTask): boolean {
  const [one, other] = [a.lock!, b.lock!];
  return (
    a.retries === b.retries &&
    a.keepMs === b.keepMs &&
    one.phase === other.phase &&
    one.onConflict === other.onConflict &&
    one.ttlMs === other.ttlMs &&
    one.retryAfterMs === other.retryAfterMs
  );
}

export function textBehindKey({ job, params, extra, scheduleId, slot }: NewTask): string {
  const given = extra === undefined ? '' : `+${extra}`;
  return `${recordSeparator}${job}${unitSeparator}${given}${unitSeparator}${scheduleText(scheduleId)}${unitSeparator}${slot ?? ''}${unitSeparator}${params}`;
}

/** Users name schedules, and a separator in a name must not part the value. */
function scheduleText(id = ''): string {
  return id && id.replaceAll('%', '%25').replaceAll(unitSeparator, '%1F');
}

function readScheduleId(text: string): string | undefined {
  if (text === '') return undefined;
  return text.includes('%') ? text.replaceAll('%1F', unitSeparator).replaceAll('%25', '%') : text;
}

function timeText(time: StoreTime): string {
  return 'at' in time ? `a${Math.round(time.at)}` : `i${Math.round(time.inMs)}`;
}

/** Without the key, which stands behind it. */
function lockText({ phase, onConflict, ttlMs, retryAfterMs }: TaskLock): string {
  return `${phase},${onConflict},${ttlMs ?? ''},${retryAfterMs ?? ''},`;
}

/** What was said at enqueue, read from a stored value. By hand, since it is done for every task that runs. */
function readGiven(value: string) {
  const prefixEnd = value.indexOf('|', 2);
  const enqueuedEnd = value.indexOf('|', prefixEnd + 1);
  const expiresEnd = value.indexOf('|', enqueuedEnd + 1);
  const retriesEnd = value.indexOf('|', expiresEnd + 1);
  const keepEnd = value.indexOf('|', retriesEnd + 1);
  const tokenEnd = value.indexOf('|', keepEnd + 1);
  const lockEnd = value.indexOf(recordSeparator, tokenEnd + 1);
  const jobEnd = value.indexOf(unitSeparator, lockEnd + 1);
  const extraEnd = value.indexOf(unitSeparator, jobEnd + 1);
  const scheduleEnd = value.indexOf(unitSeparator, extraEnd + 1);
  const slotEnd = value.indexOf(unitSeparator, scheduleEnd + 1);
  return {
    job: value.slice(lockEnd + 1, jobEnd),
    params: value.slice(slotEnd + 1),
    extra: extraEnd > jobEnd + 1 ? value.slice(jobEnd + 2, extraEnd) : undefined,
    // Behind ten digits of arrival; none is 0.
    priority: Number(value.slice(12, prefixEnd)),
    enqueuedAt: Number(value.slice(prefixEnd + 1, enqueuedEnd)),
    expiresAt: numberIn(value, enqueuedEnd, expiresEnd),
    retries: Number(value.slice(expiresEnd + 1, retriesEnd)),
    keepMs: numberIn(value, retriesEnd, keepEnd),
    scheduleId: readScheduleId(value.slice(extraEnd + 1, scheduleEnd)),
    slot: numberIn(value, scheduleEnd, slotEnd),
    lock: lockEnd > tokenEnd + 1 ? readLock(value.slice(tokenEnd + 1, lockEnd)) : undefined,
  };
}

/** The number between two separators, if there is one. */
function numberIn(value: string, before: number, end: number): number | undefined {
  return end > before + 1 ? Number(value.slice(before + 1, end)) : undefined;
}

function readLock(text: string): TaskLock {
  const [phase, onConflict, ttlMs, retryAfterMs, ...key] = text.split(',');
  return {
    phase: phase as LockPhase,
    onConflict: onConflict as LockConflict,
    key: key.join(','),
    ...(ttlMs ? { ttlMs: Number(ttlMs) } : {}),
    ...(retryAfterMs ? { retryAfterMs: Number(retryAfterMs) } : {}),
  };
}

/** Eight values of a claim's reply. */
export function readClaimed(queue: string, reply: readonly unknown[], at: number): ClaimedTask {
  return claimedTask(
    reply[at + 7] as string,
    queue,
    reply[at + 1] as string,
    Number(reply[at + 2]),
    Number(reply[at + 3]),
    Number(reply[at + 4]),
    Number(reply[at + 5]),
    (reply[at + 6] as string) || undefined,
  );
}

/** Eight values of a claim's reply that tell of a lost run. */
export function readRecovered(queue: string, reply: readonly unknown[], at: number): RecoveredRun {
  const [id, epoch, numbers, outcome, runner, of, message] = reply.slice(at + 1, at + 8) as string[];
  const [attempt, dueAt, foundAt] = numbers!.split('|');
  const [job, schedule, slot] = of!.split(unitSeparator);
  return {
    queue,
    id: id!,
    epoch: Number(epoch),
    job: job!,
    attempt: Number(attempt),
    dueAt: Number(dueAt),
    runner: runner!,
    at: Number(foundAt),
    outcome: outcome as RecoveredRun['outcome'],
    error: message ? { name: 'LeaseLostError', message } : undefined,
    scheduleId: readScheduleId(schedule!),
    slot: slot ? Number(slot) : undefined,
  };
}

/** A claimed task from its stored value and what the claim says of it. */
export function claimedTask(
  value: string,
  queue: string,
  id: string,
  epoch: number,
  attempt: number,
  failures: number,
  dueAt: number,
  conflictsWith?: string,
  receipt?: string,
): ClaimedTask {
  const given = readGiven(value);
  return {
    queue,
    id,
    epoch,
    job: given.job,
    params: given.params,
    extra: given.extra,
    priority: given.priority,
    enqueuedAt: given.enqueuedAt,
    dueAt,
    attempt,
    failures,
    retries: given.retries,
    keepMs: given.keepMs,
    scheduleId: given.scheduleId,
    slot: given.slot,
    lock: given.lock,
    conflictsWith,
    receipt,
  };
}

/** The values by which lua/read.lua tells of a task. */
export const valuesPerTask = 11;

/** Reads them. */
export function readRecord(queue: string, reply: readonly string[], at: number): TaskRecord {
  const [id, state, dueAt, leaseEndsAt, value, run, errors, result, reason, progress, lines] = reply.slice(
    at,
    at + valuesPerTask,
  );
  const [, epoch, attempt, failures, , cancel, , , flag, finishedAt, ...names] = run ? run.split('|') : [];
  const runner = names.join('|') || undefined;
  // An epoch is drawn from the store's time, in microseconds.
  const claimedAt = Math.floor(Math.abs(Number(epoch)) / 1_000);
  const hasRun = state === 'succeeded' || state === 'dead' || (state === 'cancelled' && runner);
  const endedByRun = hasRun && flag !== 'C' && flag !== 'N';
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
    progress: progress ? (JSON.parse(progress) as TaskProgress) : undefined,
    lines: lines ? lines.split('\n').map((line) => JSON.parse(line) as TaskLine) : undefined,
    runner: state === 'pending' ? runner : undefined,
    startedAt: state === 'pending' ? claimedAt : undefined,
    leaseEndsAt: leaseEndsAt ? Number(leaseEndsAt) : undefined,
    cancelRequested: cancel === '1',
    finishedAt: finishedAt ? Number(finishedAt) : undefined,
    lastRun: endedByRun ? { startedAt: claimedAt, endedAt: Number(finishedAt), runner } : undefined,
  };
}

/** How long a record stays: milliseconds, or 'inf' for good. */
export function keepText(keepMs: number): string {
  return keepMs === Infinity ? 'inf' : String(Math.round(keepMs));
}
