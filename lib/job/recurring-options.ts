import { checkKeys } from '../task/check-keys.js';
import { enqueueDefaultKeys } from '../task/enqueue-options.js';
import { InvalidOptionError } from '../task/errors.js';
import type { ScheduleOptions } from '../task/schedule-options.js';
import type { JobOptions } from './job-options.js';

/** What `@Periodic` and `@Cron` take: what `@Job` does, and what the schedule is. */
export interface RecurringOptions extends Omit<JobOptions, 'replace' | 'in' | 'at' | 'every' | 'cron'> {
  /**
   * How often a failed run is tried again; a list gives the delay before each retry as well.
   * @default 0: a failed run waits for the next slot, whatever `defaults` of the module say
   */
  retries?: JobOptions['retries'];
  /** The params of the schedule's tasks, as `enqueue` takes them. */
  with?: unknown;
  /**
   * Whether there is no schedule; the job itself stays.
   * @default false
   */
  disabled?: boolean;
}

const scheduleKeys: readonly string[] = [
  'timeZone',
  'from',
  'for',
  'until',
  'missed',
  'overlap',
] satisfies (keyof ScheduleOptions)[];
const ownKeys: readonly string[] = ['with', 'disabled'] satisfies (keyof RecurringOptions)[];

/** What other schedulers and `enqueue` take and these decorators do not: what to say instead. */
const instead: Readonly<Record<string, string>> = {
  every: "the decorator's first argument",
  cron: "the decorator's first argument",
  in: 'left out: `from` says when the schedule begins',
  at: 'left out: `from` says when the schedule begins',
  initialDelay: 'left out: `from` says when the schedule begins',
  id: 'left out: the schedule is known by the name of its job, which `name` sets',
  replace: 'left out: what the code says takes the place of what is stored',
  utcOffset: "left out: `timeZone` names the zone, such as 'Europe/Berlin'",
  waitForCompletion:
    "left out: `overlap` says what a slot does while the run before it goes on, by default 'skip'",
  unrefTimeout: 'left out: `app.close()` ends every timer',
  threshold: 'left out: `missed` says what becomes of slots at which nobody was there',
  distributed: 'left out: a slot makes one task, however many processes there are',
};

const knownKeys: readonly string[] = [
  ...enqueueDefaultKeys.filter((key) => !(key in instead)),
  'name',
  'params',
  'redact',
  'scope',
  ...ownKeys,
];

export function checkRecurringOptions(options: RecurringOptions, where: string, isMethod: boolean): void {
  const given = options as Readonly<Record<string, unknown>>;
  for (const [key, expected] of Object.entries(instead))
    if (given[key] !== undefined) throw new InvalidOptionError(where, key, given[key], expected);
  checkKeys(options, knownKeys, where);
  const { disabled, scope } = options;
  if (disabled !== undefined && typeof disabled !== 'boolean')
    throw new InvalidOptionError(where, 'disabled', disabled, 'true or false');
  if (isMethod && scope !== undefined)
    throw new InvalidOptionError(where, 'scope', scope, 'left out on a method: its provider has the scope');
}

/** What the options say of the job. */
export function jobPartOf(options: RecurringOptions): JobOptions {
  const others = [...scheduleKeys, ...ownKeys];
  return { retries: 0, ...definedOf(options, (key) => !others.includes(key)) };
}

/** What they say of its schedule. */
export function schedulePartOf(options: RecurringOptions): ScheduleOptions {
  // Who wants several missed slots made up for does not want them to keep each other from running.
  const overlap = typeof options.missed === 'object' ? 'queue' : 'skip';
  return { overlap, ...definedOf(options, (key) => scheduleKeys.includes(key)) };
}

function definedOf(options: object, isWanted: (key: string) => boolean): object {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => value !== undefined && isWanted(key)),
  );
}
