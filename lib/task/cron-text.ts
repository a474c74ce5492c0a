import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';

/** What a cron text says, field by field. */
export interface CronFields {
  /** Ascending, as are the minutes and hours. */
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  readonly monthDays: readonly number[];
  /** `L` is among the days of the month. */
  readonly isLastDay: boolean;
  readonly isAnyMonthDay: boolean;
  /** 0 is Sunday. */
  readonly weekDays: readonly number[];
  /** Those of which the last one in a month is meant: `5L`. */
  readonly lastWeekDays: readonly number[];
  /** Which of the month's week days it is: 3 in `5#3`, 0 for all of them. */
  readonly nth: number;
  readonly isAnyWeekDay: boolean;
  /** The hours are named, not "each" or "every so many": they are kept when daylight saving skips or repeats them. */
  readonly hasFixedHours: boolean;
}

/** What a text says, or why it says nothing. */
export type CronReading = { readonly fields: CronFields } | { readonly reason: string };

const names =
  '@yearly @annually @monthly @weekly @weekdays @weekends @daily @midnight @hourly @minutely @secondly'.split(
    ' ',
  );

// cron-parser reads more than this and means something else by it: `5*` as 50-59, `15L` as L, `8L` as Monday.
const numeric = /^(?:[*?]|\d+(?:-\d+)?)(?:\/\d+)?$/;
const named = /^(?:[*?]|(?:\d+|[a-zA-Z]{3})(?:-(?:\d+|[a-zA-Z]{3}))?)(?:\/\d+)?$/;
const shapes: readonly { readonly name: string; readonly shape: RegExp; readonly other?: RegExp }[] = [
  { name: 'second', shape: numeric },
  { name: 'minute', shape: numeric },
  { name: 'hour', shape: numeric },
  { name: 'day of month', shape: numeric, other: /^L$/ },
  { name: 'month', shape: named },
  { name: 'day of week', shape: named, other: /^(?:(?:[0-7]|[a-zA-Z]{3})L|(?:[*?\d]|[a-zA-Z]{3})#\d)$/ },
];

/** Reads a text by cron-parser, which takes more than it should: what is no cron text is left out before. */
export function readCron(text: string): CronReading {
  const trimmed = text.trim().replace(/^@midnight$/, '@daily');
  const parts = trimmed.split(/\s+/);
  const reason = trimmed.startsWith('@') ? reasonAgainstName(trimmed) : reasonAgainst(parts);
  if (reason !== undefined) return { reason };
  try {
    const { fields } = CronExpressionParser.parse(trimmed, { tz: 'UTC' });
    return { fields: fieldsOf(fields, parts.at(-4)) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function reasonAgainstName(name: string): string | undefined {
  return names.includes(name) ? undefined : `the names are ${names.join(', ')}`;
}

function reasonAgainst(parts: readonly string[]): string | undefined {
  const count = parts[0] === '' ? 0 : parts.length;
  if (count < 5 || count > 6) return `it has ${count} ${count === 1 ? 'field' : 'fields'}`;
  const known = shapes.slice(-parts.length);
  for (const [index, { name, shape, other }] of known.entries())
    for (const item of parts[index]!.split(','))
      if (!shape.test(item) && other?.test(item) !== true) return reasonAgainstItem(item, name);
  return undefined;
}

function reasonAgainstItem(item: string, field: string): string {
  if (/^H(?:[(/]|$)/.test(item))
    return 'H would be drawn at random by each process for itself: name the value that you want';
  return `"${item}" is no ${field}`;
}

function fieldsOf(fields: CronFieldCollection, hourText: string | undefined): CronFields {
  const { dayOfMonth, dayOfWeek, hour } = fields;
  const weekDays: readonly (number | string)[] = dayOfWeek.values;
  return {
    seconds: fields.second.values,
    minutes: fields.minute.values,
    hours: hour.values,
    months: fields.month.values,
    monthDays: dayOfMonth.values.filter((day) => typeof day === 'number'),
    isLastDay: dayOfMonth.hasLastChar,
    isAnyMonthDay: dayOfMonth.isWildcard,
    weekDays: weekDays.filter((day) => typeof day === 'number').map((day) => day % 7),
    lastWeekDays: weekDays.filter((day) => typeof day === 'string').map((day) => parseInt(day, 10) % 7),
    nth: dayOfWeek.nthDay,
    isAnyWeekDay: dayOfWeek.isWildcard,
    // A name such as @hourly has no text for its hours.
    hasFixedHours: !hour.isWildcard && !/[*?/]/.test(hourText ?? ''),
  };
}
