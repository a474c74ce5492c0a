import type { CronFields } from './cron-text.js';

const dayMs = 86_400_000;
// What does not come in a hundred years never comes: 29 February on a Monday is the rarest, once in 40 at most.
const monthsSearched = 1_200;

/**
 * The days of a cron text, as numbers since 1 January 1970. The days of a month are the bits of a number, the first the
 * lowest.
 */
export class CronDays {
  private readonly months: ReadonlySet<number>;
  private readonly monthDays: number;

  constructor(private readonly fields: CronFields) {
    this.months = new Set(fields.months);
    this.monthDays = fields.monthDays.reduce((days, day) => days | (1 << (day - 1)), 0);
  }

  /** The first of the days that is not before `day`. */
  firstFrom(day: number): number | undefined {
    let { month, date } = civil(day);
    for (const last = month + monthsSearched; month <= last; month++, date = 1) {
      const days = this.in(month) & (-1 << (date - 1));
      if (days !== 0) return firstOf(month) + 31 - Math.clz32(days & -days);
    }
    return undefined;
  }

  /** The last of the days that is not after `day`. */
  lastUpTo(day: number): number | undefined {
    let { month, date } = civil(day);
    for (const first = month - monthsSearched; month >= first; month--, date = 31) {
      const days = this.in(month) & ~(-1 << date);
      if (days !== 0) return firstOf(month) + 31 - Math.clz32(days);
    }
    return undefined;
  }

  private in(month: number): number {
    if (!this.months.has((((month % 12) + 12) % 12) + 1)) return 0;
    const first = firstOf(month);
    const length = firstOf(month + 1) - first;
    const { isAnyMonthDay, isAnyWeekDay } = this.fields;
    // As everywhere in cron: where both are restricted, either will do.
    const byMonth = isAnyMonthDay && !isAnyWeekDay ? 0 : this.byMonthDay(length);
    const byWeek = isAnyWeekDay ? 0 : this.byWeekDay(first, length);
    return byMonth | byWeek;
  }

  private byMonthDay(length: number): number {
    const last = this.fields.isLastDay ? 1 << (length - 1) : 0;
    return (this.monthDays | last) & ~(-1 << length);
  }

  private byWeekDay(first: number, length: number): number {
    const { weekDays, lastWeekDays, nth } = this.fields;
    let days = 0;
    for (let date = 1; date <= length; date++) {
      // 1 January 1970 was a Thursday.
      const weekDay = (((first + date + 3) % 7) + 7) % 7;
      const isNth = nth === 0 || Math.ceil(date / 7) === nth;
      const isMeant = weekDays.includes(weekDay) && isNth;
      if (isMeant || (date + 7 > length && lastWeekDays.includes(weekDay))) days |= 1 << (date - 1);
    }
    return days;
  }
}

/** The month a day is in, counted from January of the year 0, and its date there. */
function civil(day: number): { month: number; date: number } {
  const at = new Date(day * dayMs);
  return { month: at.getUTCFullYear() * 12 + at.getUTCMonth(), date: at.getUTCDate() };
}

/** The number of a month's first day. */
function firstOf(month: number): number {
  return new Date(0).setUTCFullYear(0, month, 1) / dayMs;
}
