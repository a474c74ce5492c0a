import { spanMs, toMs, toSpan, type Duration, type Span } from './duration.js';
import type { EnqueueDefaults, EnqueueOptions } from './enqueue-options.js';
import { InvalidOptionError } from './errors.js';
import { defaultRetries, type Backoff } from './retry-policy.js';
import { planUnique, type UniquePlan } from './unique-options.js';
import { checkThereIsASchedule, mergeWhen } from './schedule-options.js';
import { planSchedule, type SchedulePlan } from './schedule-plan.js';
import type { StoreTime } from './task-record.js';

export const defaultQueue = 'default';

/** Enqueue options in the form in which tasks are built from them: read once, used for many tasks. */
export interface EnqueuePlan {
  readonly id?: string;
  readonly queue: string;
  readonly priority: number;
  readonly replace: boolean;
  readonly delay?: Span;
  readonly at?: number;
  /** It makes a schedule, not a task. */
  readonly schedule?: SchedulePlan;
  readonly retries: number;
  readonly expires?: StoreTime;
  readonly keep?: Span;
  /** Its lock, but for the key, which depends on the params. */
  readonly unique?: UniquePlan;
  /** What the call says about the run, as text; what the job says is read from its code when it runs. */
  readonly extra?: string;
}

/** What an enqueue call said about the run of its task. */
export interface TaskExtra {
  readonly backoff?: Exclude<Backoff, (...args: never[]) => unknown>;
  readonly jitter?: number;
  readonly timeoutMs?: number;
  /** The next slot of its schedule: a retry that would come later is none. */
  readonly retryBefore?: number;
  /** What the application's `context.capture` gave. */
  readonly context?: unknown;
  /** The span that enqueued it, in the form in which it travels. */
  readonly trace?: Readonly<Record<string, string>>;
  /** The paths of its params that are not to be seen, for those who do not know its job. */
  readonly redact?: readonly string[];
}

/** Text of a `TaskExtra` with one thing more, given as JSON text. */
export function extraWith(
  extra: string | undefined,
  name: 'context' | 'trace' | 'redact',
  json: string | undefined,
): string | undefined {
  if (json === undefined) return extra;
  const rest = extra === undefined ? '' : extra.slice(1, -1);
  return `{${rest}${rest && ','}"${name}":${json}}`;
}

/** What holds for the tasks of a job: what it says itself, over what the module says. */
export interface JobDefaults extends EnqueueDefaults {
  /** Where `unique` says none. */
  readonly lockTtl?: Duration;
}

/** Reads checked options: the call's choice wins over the job's. */
export function planEnqueue(job: JobDefaults, call: EnqueueOptions | undefined, where: string): EnqueuePlan {
  const chosen = call ? merged(job, call) : job;
  if (call) checkThereIsASchedule(call, chosen, where);
  const { retries = defaultRetries, expires, keep, at } = chosen;
  const schedule = planSchedule(chosen, where);
  const unique = planUnique(job.unique, call?.unique, job.lockTtl, where);
  if (schedule && unique) checkOverlap(schedule, unique, where);
  return {
    id: call?.id,
    queue: chosen.queue ?? defaultQueue,
    priority: chosen.priority ?? 0,
    replace: chosen.replace ?? false,
    delay:
      chosen.in === undefined
        ? undefined
        : toSpan(chosen.in, { where, option: 'in', calendar: true, negative: true }),
    // Whole milliseconds, as a Date has them.
    at: at === undefined ? undefined : new Date(at).getTime(),
    schedule,
    retries: Array.isArray(retries) ? retries.length : retries,
    expires:
      expires === undefined
        ? undefined
        : expires instanceof Date
          ? { at: expires.getTime() }
          : { inMs: toMs(expires, { where, option: 'expires' }) },
    keep: keep === undefined ? undefined : toSpan(keep, { where, option: 'keep', calendar: true }),
    unique,
    extra: call && extraOf(call, where),
  };
}

/** The due time of a plan. `now` only measures calendar spans; the store's clock decides. */
export function dueOf({ delay, at }: EnqueuePlan, now: number): StoreTime {
  if (at !== undefined) return { at };
  return delay ? { inMs: spanMs(delay, now) } : dueNow;
}

const dueNow: StoreTime = { inMs: 0 };

/** A slot that stops a running task would meet the lock which that one still holds: it would stop it for nothing. */
function checkOverlap({ overlap }: SchedulePlan, { phase, onConflict }: UniquePlan, where: string): void {
  if (overlap !== 'replace' || phase === 'until_executing' || onConflict === 'reschedule') return;
  const why = 'a task that it stops holds it until it has ended';
  throw new InvalidOptionError(where, 'overlap', overlap, `'skip' or 'queue' with the lock ${phase}: ${why}`);
}

function merged(job: EnqueueDefaults, call: EnqueueOptions): EnqueueDefaults {
  const chosen: Record<string, unknown> = { ...mergeWhen(job, call) };
  for (const [key, value] of Object.entries(call)) if (value !== undefined) chosen[key] = value;
  return chosen;
}

function extraOf({ retries, backoff, jitter, timeout }: EnqueueOptions, where: string): string | undefined {
  const delays = Array.isArray(retries) ? retries : backoff;
  if (delays === undefined && jitter === undefined && timeout === undefined) return undefined;
  return JSON.stringify({
    backoff: delays,
    jitter,
    timeoutMs: timeout === undefined ? undefined : toMs(timeout, { where, option: 'timeout' }),
  });
}
