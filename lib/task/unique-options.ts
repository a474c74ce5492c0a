import { checkKeys } from './check-keys.js';
import { toMs, type Duration } from './duration.js';
import { InvalidOptionError } from './errors.js';
import type { LockConflict, LockPhase } from './task-record.js';

/** What makes a task unique: while it holds its lock, another of the same key is not taken, or not run. */
export interface UniqueOptions {
  /**
   * From when to when the lock is held: `'until_executing'` from enqueue to the start of the first run,
   * `'while_executing'` during each run, `'until_executed'` from enqueue to the end of the first run, `'until_completed'`
   * from enqueue to success or death.
   */
  lock: LockPhase;
  /**
   * What becomes of a task that meets a held lock: `'reject'` answers `rejected` at enqueue, and cancels at the run;
   * `'raise'` throws `LockConflictError`; `'reschedule'` (with `'while_executing'`) tries again after `retryAfter`;
   * `'replace'` (with the other locks) puts the new params in the place of a holder that has not started.
   * @default 'reject'
   */
  onConflict?: LockConflict;
  /**
   * The lock of a task that has not started ends this long after its due time.
   * @default `lockTtl` of the module: none
   */
  ttl?: Duration;
  /**
   * What makes two tasks the same: names of params, or a function of them. The job's method `uniqueBy` wins.
   * @default all params
   */
  by?: readonly string[] | ((params: never) => unknown);
  /**
   * Jobs of one group share their keys; they must share a queue, too.
   * @default the job alone
   */
  group?: string;
  /**
   * With `'reschedule'`: how long the task stays away.
   * @default '5s'
   */
  retryAfter?: Duration;
}

/** The lock of a plan, but for its key, which depends on the params. */
export interface UniquePlan {
  readonly phase: LockPhase;
  readonly onConflict: LockConflict;
  readonly ttlMs?: number;
  readonly retryAfterMs?: number;
  readonly by?: UniqueOptions['by'];
  readonly group?: string;
}

const phases: readonly unknown[] = [
  'until_executing',
  'while_executing',
  'until_executed',
  'until_completed',
] satisfies LockPhase[];
const conflicts: readonly unknown[] = ['reject', 'raise', 'reschedule', 'replace'] satisfies LockConflict[];
const keys: readonly string[] = [
  'lock',
  'onConflict',
  'ttl',
  'by',
  'group',
  'retryAfter',
] satisfies (keyof UniqueOptions)[];
const defaultRetryAfter = '5s';

/** Stops at what cannot mean anything by itself; whether it fits together is seen when it is planned. */
export function checkUniqueOptions(unique: unknown, where: string): void {
  if (unique === undefined || unique === false) return;
  checkKeys(unique as object, keys, where, 'unique');
  const { lock, onConflict, ttl, by, group, retryAfter } = unique as Record<keyof UniqueOptions, unknown>;
  const check = (option: string, value: unknown, isGood: boolean, expected: string) => {
    if (value !== undefined && !isGood)
      throw new InvalidOptionError(where, `unique.${option}`, value, expected);
  };
  check('lock', lock, phases.includes(lock), `one of ${phases.join(', ')}`);
  check('onConflict', onConflict, conflicts.includes(onConflict), `one of ${conflicts.join(', ')}`);
  check('by', by, typeof by === 'function' || isNames(by), 'names of params, or a function of them');
  check(
    'group',
    group,
    typeof group === 'string' && group.length > 0 && group.length <= 255,
    'text of 1 to 255 characters',
  );
  if (ttl !== undefined) positiveMs(ttl as Duration, where, 'ttl');
  if (retryAfter !== undefined) positiveMs(retryAfter as Duration, where, 'retryAfter');
}

/** What the job and the call say together, the call first; undefined where the task is not unique. */
export function planUnique(
  job: UniqueOptions | false | undefined,
  call: Partial<UniqueOptions> | false | undefined,
  lockTtl: Duration | undefined,
  where: string,
): UniquePlan | undefined {
  const said = call === undefined ? job : call && laidOver(job, call);
  if (!said) return undefined;
  const { lock, onConflict = 'reject', ttl, by, group, retryAfter } = said;
  const refuse = (option: string, value: unknown, expected: string): never => {
    throw new InvalidOptionError(where, `unique.${option}`, value, expected);
  };
  if (lock === undefined) return refuse('lock', lock, `one of ${phases.join(', ')}`);
  const isOfRuns = lock === 'while_executing';
  if (onConflict === 'reschedule' && !isOfRuns)
    refuse('onConflict', onConflict, `'reject', 'raise' or 'replace' with ${lock}`);
  if (onConflict === 'replace' && isOfRuns)
    refuse('onConflict', onConflict, `'reject', 'raise' or 'reschedule' with ${lock}`);
  if (retryAfter !== undefined && onConflict !== 'reschedule')
    refuse('retryAfter', retryAfter, "left out, or given with onConflict 'reschedule'");
  if (ttl !== undefined && isOfRuns)
    refuse('ttl', ttl, 'left out with while_executing: a running task keeps its lock');
  return {
    phase: lock,
    onConflict,
    ttlMs: isOfRuns ? undefined : ttlMs(ttl ?? lockTtl, where),
    retryAfterMs:
      onConflict === 'reschedule'
        ? positiveMs(retryAfter ?? defaultRetryAfter, where, 'retryAfter')
        : undefined,
    by,
    group,
  };
}

/** What the job says beside a conflict or a lock goes with these: where the call chooses others, it is let go. */
function laidOver(
  job: UniqueOptions | false | undefined,
  call: Partial<UniqueOptions>,
): Partial<UniqueOptions> {
  const said = { ...job, ...withoutUndefined(call) };
  const isOtherConflict = call.onConflict !== undefined && call.onConflict !== 'reschedule';
  if (isOtherConflict && call.retryAfter === undefined) delete said.retryAfter;
  if (call.lock === 'while_executing' && call.ttl === undefined) delete said.ttl;
  return said;
}

function ttlMs(ttl: Duration | undefined, where: string): number | undefined {
  return ttl === undefined ? undefined : positiveMs(ttl, where, 'ttl');
}

function positiveMs(value: Duration, where: string, option: string): number {
  const ms = toMs(value, { where, option: `unique.${option}` });
  if (ms === 0) throw new InvalidOptionError(where, `unique.${option}`, value, 'more than 0');
  return ms;
}

function isNames(by: unknown): boolean {
  return (
    Array.isArray(by) && by.length > 0 && by.every((name) => typeof name === 'string' && name.length > 0)
  );
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
