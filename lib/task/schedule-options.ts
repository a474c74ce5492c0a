import type { Duration } from './duration.js';

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
  missed?: 'once' | 'skip' | { all: number };
  /**
   * What a slot does while the task of the one before it is not finished: `'skip'` makes none, `'queue'` one that waits its
   * turn, `'replace'` cancels the unfinished one.
   * @default 'skip'
   */
  overlap?: 'skip' | 'queue' | 'replace';
}
