import type { ScheduleDetails as Details, ScheduleInfo } from '../../catalog/schedule-info.js';
import type { ScheduleDetails, ScheduleRow } from '../api/schedules.js';
import { contentOf } from './content.js';
import { moment, moments } from './moments.js';

export function scheduleRow(schedule: ScheduleInfo): ScheduleRow {
  const { queue, id, job, words, rule, isPaused, isDeclared, lastTask, fired, skipped } = schedule;
  return {
    queue,
    id,
    job,
    words,
    isPaused,
    isDeclared,
    lastTask,
    fired,
    skipped,
    ...(rule && 'cron' in rule && { rule: rule.cron, timeZone: rule.timeZone }),
    ...(rule && 'every' in rule && { rule: spanText(rule.every) }),
    lastSlot: moment(schedule.lastSlot),
    nextSlot: moment(schedule.nextSlot),
  };
}

export function scheduleDetails(schedule: Details): ScheduleDetails {
  const { missed, overlap, lastSlots, nextSlots, firstSlot, paramsText } = schedule;
  return {
    ...scheduleRow(schedule),
    params: contentOf(paramsText ?? ''),
    missed: typeof missed === 'object' ? JSON.stringify(missed) : missed,
    overlap,
    firstSlot: firstSlot.getTime(),
    nextSlots: moments(nextSlots),
    lastSlots: lastSlots.map(({ slot, at, ...outcome }) => ({
      ...outcome,
      slot: slot.getTime(),
      at: at.getTime(),
    })),
  };
}

const units: readonly [ms: number, unit: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
];

/** As it would be written in code. */
function spanText(span: { readonly ms: number } | { readonly months: number }): string {
  if ('months' in span) return span.months % 12 === 0 ? `${span.months / 12}y` : `${span.months}mo`;
  const [ms, unit] = units.find(([size]) => span.ms % size === 0) ?? [1, 'ms'];
  return `${span.ms / ms}${unit}`;
}
