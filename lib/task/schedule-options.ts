import { checkCron } from './cron.js';
import { toSpan, type Duration } from './duration.js';
import type { Missed } from './due-slots.js';
import { InvalidOptionError } from './errors.js';
import type { Overlap } from './schedule-record.js';
import { checkTimeZone } from './time-zone.js';

/** What makes a schedule of an enqueue: `every` or `cron`, and what goes with them. */
export interface ScheduleOptions {
  /**
   * A task at the first slot and then again after each such span, on a fixed grid; months and years are those of the
   * calendar in UTC. Excludes `in`, `at` and `cron`.
   */
  every?: Duration;
  /**
   * A task whenever the wall clock of `timeZone` matches: five fields, six with seconds in front, or a name such as
   * `@daily`. Excludes `in`, `at` and `every`.
   */
  cron?: string;
  /**
   * The zone of `cron`, such as `'Europe/Berlin'`.
   * @default `timeZone` of the module
   */
  timeZone?: string;
  /**
   * With `every` the first slot, with `cron` the moment from which it is looked for.
   * @default the moment the schedule is stored
   */
  from?: Date;
  /** The schedule ends this long after its first slot; a slot at the end is none. Excludes `until`. */
  for?: Duration;
  /** The schedule ends at this moment; a slot at the end is none. Excludes `for`. */
  until?: Date;
  /**
   * What becomes of slots at which nobody was there to see them: `'once'` makes one task, for the latest; `'skip'` none;
   * `{ all: n }` one for each of the latest n.
   * @default 'once'
   */
  missed?: Missed;
  /**
   * What a slot does while the task of the one before it is not finished: `'skip'` makes none, `'queue'` one that waits its
   * turn, `'replace'` cancels the unfinished one.
   * @default 'skip' on `@Periodic` and `@Cron`, unless `missed` is `{ all }`; else 'queue'
   */
  overlap?: Overlap;
}

/** The four ways to say when are one choice. */
const whens = ['in', 'at', 'every', 'cron'] as const;
/** What says more about a schedule, and nothing about a single task. */
const companions = ['timeZone', 'from', 'for', 'until', 'missed', 'overlap'] as const;

/** What is said of times, in whichever place. */
type Said = ScheduleOptions & { readonly in?: unknown; readonly at?: unknown };

const mostCaughtUp = 1_000;

export function checkScheduleOptions(options: Said, where: string): void {
  const { every, cron, timeZone, from, until, missed, overlap } = options;
  const refuse = (option: string, value: unknown, expected: string): never => {
    throw new InvalidOptionError(where, option, value, expected);
  };
  const [first, second] = whens.filter((when) => options[when] !== undefined);
  if (second)
    refuse(second, options[second], `left out where \`${first}\` is given: they exclude each other`);
  if (every !== undefined) checkLength(every, where, 'every');
  if (cron !== undefined) checkCron(cron, where);
  if (timeZone !== undefined) checkTimeZone(timeZone, where);
  if (timeZone !== undefined && every !== undefined)
    refuse('timeZone', timeZone, 'left out where `every` is given: a span has no zone');
  if (from !== undefined && !isDate(from)) refuse('from', from, 'a valid Date');
  if (until !== undefined && !isDate(until)) refuse('until', until, 'a valid Date');
  if (options.for !== undefined) checkLength(options.for, where, 'for');
  if (options.for !== undefined && until !== undefined)
    refuse('until', until, 'left out where `for` is given: they exclude each other');
  if (from && until && until <= from) refuse('until', until, 'later than `from`');
  if (missed !== undefined && !isMissed(missed))
    refuse('missed', missed, `'once', 'skip' or { all: n } with n from 1 to ${mostCaughtUp}`);
  if (overlap !== undefined && !['skip', 'queue', 'replace'].includes(overlap))
    refuse('overlap', overlap, "'skip', 'queue' or 'replace'");
}

/** A call that says more about a schedule than that there is one must mean one; `chosen` is what it and the job say together. */
export function checkThereIsASchedule(call: ScheduleOptions, chosen: ScheduleOptions, where: string): void {
  if (chosen.every !== undefined && call.timeZone !== undefined)
    throw new InvalidOptionError(
      where,
      'timeZone',
      call.timeZone,
      'left out: the job says `every`, and a span has no zone',
    );
  if (chosen.every !== undefined || chosen.cron !== undefined) return;
  for (const option of companions)
    if (call[option] !== undefined)
      throw new InvalidOptionError(where, option, call[option], 'left out, or given with `every` or `cron`');
}

/** The job's options and the call's: what the call says of when, or of the end, is said instead and not beside. */
export function mergeWhen<T extends Said>(job: T, call: Said): T {
  const chosen = { ...job };
  if (whens.some((when) => call[when] !== undefined)) for (const when of whens) delete chosen[when];
  if (call.for !== undefined || call.until !== undefined) {
    delete chosen.for;
    delete chosen.until;
  }
  return chosen;
}

function checkLength(value: Duration, where: string, option: string): void {
  const span = toSpan(value, { where, option, calendar: true });
  if (('ms' in span ? span.ms : span.months) === 0)
    throw new InvalidOptionError(where, option, value, 'more than 0');
}

function isDate(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

function isMissed(value: unknown): boolean {
  if (value === 'once' || value === 'skip') return true;
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'all') return false;
  const { all } = value as { all: unknown };
  return Number.isInteger(all) && (all as number) >= 1 && (all as number) <= mostCaughtUp;
}
