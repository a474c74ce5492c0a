import { checkKeys } from './check-keys.js';
import { toMs, toSpan, type Duration } from './duration.js';
import { InvalidOptionError } from './errors.js';
import { checkBackoff, type Backoff } from './retry-policy.js';
import { checkUniqueOptions, type UniqueOptions } from './unique-options.js';
import { checkScheduleOptions, type ScheduleOptions } from './schedule-options.js';

/** What a task is enqueued with. On a job these are its defaults; a call's choice wins, `undefined` leaves it to the job. */
export interface EnqueueDefaults extends ScheduleOptions {
  /**
   * Whether a scheduled, waiting, parked or finished task of the same id gives way to this one.
   * @default false: the first stays and the call answers `existing`
   */
  replace?: boolean;
  /** Run after this time. Negative goes before the tasks that are due now. Excludes `at`. */
  in?: Duration;
  /** Run at this moment, a Date or milliseconds since the epoch. The past goes before the tasks that are due now. Excludes `in`. */
  at?: Date | number;
  /** @default 'default' */
  queue?: string;
  /**
   * An integer from −1000 to 1000, lower first.
   * @default 0
   */
  priority?: number;
  /**
   * How often a failed task is tried again; a list gives the delay before each retry as well.
   * @default 4
   */
  retries?: number | Duration[];
  /**
   * The delay before each retry.
   * @default 2 · n² seconds after the n-th failure: 2, 8, 18, 32
   */
  backoff?: Backoff;
  /**
   * A share of each delay, from 0 to 1, up to which a random time is added.
   * @default 0
   */
  jitter?: number;
  /**
   * Aborts `task.signal` and fails the attempt after this time.
   * @default none
   */
  timeout?: Duration;
  /**
   * Cancels the task if its first attempt has not begun by then; a duration counts from the due time.
   * @default never
   */
  expires?: Duration | Date;
  /**
   * How long the task and its result stay readable after success; meanwhile its id is taken.
   * @default `retention.succeeded` of the module
   */
  keep?: Duration;
  /**
   * Makes the task unique among those of the same key; `false`: not this one. What a call says is laid over what the job says.
   * @default it is not
   */
  unique?: UniqueOptions | false;
}

export interface EnqueueOptions extends Omit<EnqueueDefaults, 'unique'> {
  unique?: Partial<UniqueOptions> | false;
  /**
   * The task's name within its queue: a second task of a name that is taken is not stored.
   * @default one that is never given twice
   */
  id?: string;
  /**
   * The application's own transaction: the task is there exactly when that commits. With the postgres backend alone; see
   * the README for what it may be.
   * @default none: the task is stored when the call resolves
   */
  transaction?: unknown;
}

const defaultKeys = [
  'replace',
  'in',
  'at',
  'every',
  'cron',
  'timeZone',
  'from',
  'for',
  'until',
  'missed',
  'overlap',
  'queue',
  'priority',
  'retries',
  'backoff',
  'jitter',
  'timeout',
  'expires',
  'keep',
  'unique',
] as const satisfies readonly (keyof EnqueueDefaults)[];

export const enqueueDefaultKeys: readonly string[] = defaultKeys;
const enqueueKeys: readonly string[] = [...defaultKeys, 'id', 'transaction'];

/** Stops at an option that is unknown or cannot mean anything. `where` is the job's name. */
export function checkEnqueueOptions(options: EnqueueOptions, where: string): void {
  checkKeys(options, enqueueKeys, where);
  const { id } = options;
  if (id !== undefined && !(typeof id === 'string' && id.length > 0 && id.length <= 255))
    throw new InvalidOptionError(where, 'id', id, 'text of 1 to 255 characters');
  // Functions cannot be stored with a task.
  if (typeof options.backoff === 'function')
    throw new InvalidOptionError(where, 'backoff', options.backoff, 'a duration, a list or a rule here');
  checkEnqueueDefaults(options, where);
}

export function checkEnqueueDefaults(options: EnqueueDefaults | EnqueueOptions, where: string): void {
  const { replace, at, queue, priority, retries, backoff, jitter, timeout, expires, keep } = options;
  const check = (option: string, value: unknown, isGood: boolean, expected: string) => {
    if (value !== undefined && !isGood) throw new InvalidOptionError(where, option, value, expected);
  };
  checkScheduleOptions(options, where);
  if (options.in !== undefined) toSpan(options.in, { where, option: 'in', calendar: true, negative: true });
  check('at', at, isMoment(at), 'a valid Date or milliseconds since the epoch');
  check('replace', replace, typeof replace === 'boolean', 'true or false');
  if (queue !== undefined) checkQueueName(queue, where);
  check('priority', priority, isBetween(priority, -1000, 1000), 'an integer from -1000 to 1000');
  if (Array.isArray(retries)) {
    checkBackoff(retries, where, 'retries');
    check('backoff', backoff, false, 'left out where `retries` is a list: the list says the delays');
  } else {
    check('retries', retries, isBetween(retries, 0, 1_000_000), 'an integer from 0, or a list of delays');
  }
  if (backoff !== undefined) checkBackoff(backoff, where);
  check('jitter', jitter, typeof jitter === 'number' && jitter >= 0 && jitter <= 1, 'a number from 0 to 1');
  if (timeout !== undefined && toMs(timeout, { where, option: 'timeout' }) === 0)
    throw new InvalidOptionError(where, 'timeout', timeout, 'more than 0');
  if (expires instanceof Date) check('expires', expires, isMoment(expires), 'a valid Date or a duration');
  else if (expires !== undefined) toMs(expires, { where, option: 'expires' });
  checkUniqueOptions(options.unique, where);
  if (keep !== undefined) toSpan(keep, { where, option: 'keep', calendar: true });
}

export function checkQueueName(queue: unknown, where: string, option = 'queue'): void {
  if (typeof queue !== 'string' || !/^[\w.:{}-]{1,100}$/.test(queue))
    throw new InvalidOptionError(where, option, queue, '1 to 100 letters, digits or . _ - : { }');
  // On Redis it would share its keys with the queue of the name within.
  if (/^\{[^{}]*\}$/.test(queue))
    throw new InvalidOptionError(where, option, queue, 'more than a hash tag alone, such as {mail}.high');
}

function isMoment(value: unknown): boolean {
  const ms = value instanceof Date ? value.getTime() : value;
  return typeof ms === 'number' && !Number.isNaN(new Date(ms).getTime());
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}
