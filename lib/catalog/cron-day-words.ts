import type { CronFields } from '../task/cron-text.js';
import { listed } from './listed.js';

const weekDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const ordinals = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
const mostNamed = 8;

/** The days of a cron text: `on the first of the month`; empty for every day, undefined where there are no short words. */
export function cronDayWords(fields: CronFields): string | undefined {
  const isAnyMonth = fields.months.length === 12;
  const inMonths = isAnyMonth ? 'the month' : monthsWords(fields.months);
  if (inMonths === undefined) return undefined;
  const dates = fields.isAnyMonthDay ? '' : dateWords(fields, inMonths);
  const days = fields.isAnyWeekDay ? '' : weekDayWords(fields, inMonths);
  if (dates === undefined || days === undefined) return undefined;
  if (dates === '' && days === '') return isAnyMonth ? '' : `every day in ${inMonths}`;
  // As everywhere in cron: where both are restricted, either will do.
  const both = [dates, days].filter((words) => words !== '').join(' and ');
  const isMonthSaid = isAnyMonth || days === '' || isOfMonth(fields);
  return isMonthSaid ? both : `${both} in ${inMonths}`;
}

function dateWords({ monthDays, isLastDay }: CronFields, inMonths: string): string | undefined {
  const run = isLastDay ? undefined : runOf(monthDays);
  if (run && monthDays.length > 2)
    return `from the ${ordinal(run[0])} to the ${ordinal(run[1])} of ${inMonths}`;
  if (monthDays.length > mostNamed) return undefined;
  if (monthDays.length === 1 && !isLastDay)
    return `on the ${monthDays[0] === 1 ? 'first' : ordinal(monthDays[0]!)} of ${inMonths}`;
  return `on the ${listed([...monthDays.map(ordinal), ...(isLastDay ? ['last day'] : [])])} of ${inMonths}`;
}

function weekDayWords(fields: CronFields, inMonths: string): string | undefined {
  const { weekDays: days, lastWeekDays, nth } = fields;
  if (lastWeekDays.length > 0) {
    if (days.length > 0) return undefined;
    return `on the last ${listed(lastWeekDays.map((day) => weekDays[day]!))} of ${inMonths}`;
  }
  const sorted = [...new Set(days)].sort((one, other) => one - other);
  const names = listed(sorted.map((day) => weekDays[day]!));
  if (nth > 0) return `on the ${ordinals[nth]} ${names} of ${inMonths}`;
  const run = runOf(sorted);
  if (run && sorted.length > 2) return `from ${weekDays[run[0]]} to ${weekDays[run[1]]}`;
  return `on ${names}`;
}

/** Whether the words for the days of the week name the month. */
function isOfMonth({ lastWeekDays, nth }: CronFields): boolean {
  return lastWeekDays.length > 0 || nth > 0;
}

function monthsWords(numbers: readonly number[]): string | undefined {
  return numbers.length > mostNamed ? undefined : listed(numbers.map((month) => months[month - 1]!));
}

/** The first and the last of numbers that follow each other. */
function runOf(numbers: readonly number[]): [number, number] | undefined {
  const [first] = numbers;
  if (first === undefined || !numbers.every((number, index) => number === first + index)) return undefined;
  return [first, numbers.at(-1)!];
}

function ordinal(day: number): string {
  const tens = Math.floor(day / 10);
  const ending = tens === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}
