import { toSpan, type Duration } from './duration.js';
import type { Missed } from './due-slots.js';
import { InvalidOptionError } from './errors.js';
import type { ScheduleOptions } from './schedule-options.js';
import type { Overlap } from './schedule-record.js';
import type { SlotRule } from './slots.js';

/** What an enqueue says of a schedule, in the form in which it is used. */
export interface SchedulePlan {
  readonly slots: SlotRule;
  readonly from?: number;
  readonly missed: Missed;
  readonly overlap: Overlap;
}

/** Reads checked options; undefined where they make no schedule. */
export function planSchedule(chosen: ScheduleOptions, where: string): SchedulePlan | undefined {
  const { every, cron, timeZone = 'UTC', from, until, missed = 'once', overlap = 'queue' } = chosen;
  const when = cron === undefined ? every && { every: span(every, where, 'every') } : { cron, timeZone };
  if (!when) return undefined;
  // What the job says of it and what the call says were checked apart.
  if (from && until && until <= from)
    throw new InvalidOptionError(where, 'until', until, 'later than `from`');
  return {
    slots: {
      ...when,
      ...(chosen.for === undefined ? {} : { for: span(chosen.for, where, 'for') }),
      ...(until === undefined ? {} : { until: until.getTime() }),
    },
    from: from?.getTime(),
    missed,
    overlap,
  };
}

function span(value: Duration, where: string, option: string) {
  return toSpan(value, { where, option, calendar: true });
}

/** The rule as the store keeps it: equal rules are equal texts. */
export function ruleText({ slots, from }: SchedulePlan): string {
  return JSON.stringify({ ...slots, ...(from === undefined ? {} : { from }) });
}

/** Undefined where the text is none that this version knows. */
export function readRule(text: string): SlotRule | undefined {
  try {
    const rule = JSON.parse(text) as Record<string, unknown> | null;
    const { every, cron, timeZone } = rule ?? {};
    const isSpan = typeof every === 'object' && every !== null && ('ms' in every || 'months' in every);
    const isCron = typeof cron === 'string' && typeof timeZone === 'string';
    return isSpan || isCron ? (rule as unknown as SlotRule) : undefined;
  } catch {
    return undefined;
  }
}
