import { checkKeys } from './check-keys.js';
import { toMs, type Duration } from './duration.js';
import { InvalidOptionError } from './errors.js';

/**
 * How long to wait after the n-th failure. A duration is the same each time; a list is used in order and its last entry
 * repeats; `exponential` is delay · factor^(n−1), `polynomial` is delay · n^factor (factor 2 in both where none is given);
 * `max` is the ceiling, before jitter. A function decides by itself and stands only on a job or in the defaults, since it cannot be stored.
 */
export type Backoff =
  | Duration
  | Duration[]
  | {
      type: 'fixed' | 'exponential' | 'polynomial';
      delay: Duration;
      factor?: number;
      max?: Duration;
    }
  | ((failures: number, error: unknown) => Duration);

/** 2, 8, 18, 32 seconds. */
export const defaultBackoff: Backoff = { type: 'polynomial', delay: '2s', factor: 2 };
export const defaultRetries = 4;

/** The delay in milliseconds after the n-th failure; `where` is named in the message where a rule cannot be read. */
export function backoffMs(backoff: Backoff, failures: number, error: unknown, where: string): number {
  const read = (value: Duration) => toMs(value, { where, option: 'backoff' });
  if (typeof backoff === 'function') return read(backoff(failures, error));
  if (Array.isArray(backoff)) return read(backoff[Math.min(failures, backoff.length) - 1]!);
  if (typeof backoff !== 'object') return read(backoff);
  const { type, factor = 2, max } = backoff;
  const delay = read(backoff.delay);
  // Nothing times an overflowing power is no number.
  if (delay === 0) return 0;
  const ms =
    { fixed: 1, exponential: factor ** (failures - 1), polynomial: failures ** factor }[type] * delay;
  // A rule from the store may be of a kind that this version does not know.
  if (Number.isNaN(ms)) throw new InvalidOptionError(where, 'backoff', backoff, 'a rule of a known type');
  return Math.min(Math.round(ms), max === undefined ? longestBackoffMs : read(max));
}

// An unbounded power must stay a moment that a store can hold.
const longestBackoffMs = 365 * 86_400_000;

/** Jitter only adds: no run comes earlier than its delay. */
export function withJitter(delayMs: number, jitter: number, random: () => number = Math.random): number {
  return Math.round(delayMs * (1 + jitter * random()));
}

/** What decides whether and when a failed task runs again. */
export interface RetryRules {
  /** Attempts allowed after the first. */
  readonly retries: number;
  readonly backoff: Backoff;
  readonly jitter: number;
  /** The job's own methods; they win over `backoff`, within `retries`. */
  readonly retryDelay?: (failures: number, error: unknown) => Duration | Promise<Duration>;
  readonly shouldRetry?: (failures: number, error: unknown) => boolean | Promise<boolean>;
}

/** An attempt that failed. */
export interface FailedAttempt {
  readonly job: string;
  readonly attempt: number;
  /** Failed and lost attempts, this one included. */
  readonly failures: number;
  readonly error: unknown;
  /** False where the handler said so. */
  readonly mayRetry: boolean;
}

/**
 * The delay until the next attempt, or undefined where there is none. A rule that throws or answers nonsense is reported
 * and passed over: it must not cost the task.
 */
export async function nextAttemptInMs(
  { job, attempt, failures, error, mayRetry }: FailedAttempt,
  rules: RetryRules,
  report: (rule: string, error: unknown) => void,
): Promise<number | undefined> {
  if (!mayRetry || attempt > rules.retries) return undefined;
  try {
    if ((await rules.shouldRetry?.(failures, error)) === false) return undefined;
  } catch (thrown) {
    report('shouldRetry', thrown);
  }
  if (rules.retryDelay) {
    try {
      return toMs(await rules.retryDelay(failures, error), { where: job, option: 'retryDelay' });
    } catch (thrown) {
      report('retryDelay', thrown);
    }
  }
  let delayMs;
  try {
    delayMs = backoffMs(rules.backoff, failures, error, job);
  } catch (thrown) {
    report('backoff', thrown);
    delayMs = backoffMs(defaultBackoff, failures, error, job);
  }
  return withJitter(delayMs, rules.jitter);
}

/** Stops at a backoff that cannot be read, where it is written. */
export function checkBackoff(backoff: unknown, where: string, option = 'backoff'): void {
  if (typeof backoff === 'function') return;
  if (Array.isArray(backoff)) {
    if (backoff.length === 0)
      throw new InvalidOptionError(where, option, backoff, 'a list with a delay in it');
    for (const delay of backoff) toMs(delay as Duration, { where, option });
    return;
  }
  if (typeof backoff !== 'object' || backoff === null) {
    toMs(backoff as Duration, { where, option });
    return;
  }
  checkKeys(backoff, ['type', 'delay', 'factor', 'max'], where, option);
  const { type, delay, factor, max } = backoff as Record<string, unknown>;
  if (type !== 'fixed' && type !== 'exponential' && type !== 'polynomial')
    throw new InvalidOptionError(where, `${option}.type`, type, "'fixed', 'exponential' or 'polynomial'");
  toMs(delay as Duration, { where, option: `${option}.delay` });
  if (max !== undefined) toMs(max as Duration, { where, option: `${option}.max` });
  if (factor !== undefined && !(typeof factor === 'number' && factor > 0 && Number.isFinite(factor)))
    throw new InvalidOptionError(where, `${option}.factor`, factor, 'a number above 0');
}
