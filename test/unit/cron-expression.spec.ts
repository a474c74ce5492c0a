import { describe, expect, it } from '@jest/globals';
import { CronExpressionParser } from 'cron-parser';
import { CronExpression } from 'nestjs-jobs';

/** The first moments after Wednesday, 5 August 2026, 10:07:03. */
function next(expression: string, count: number): string[] {
  const parsed = CronExpressionParser.parse(expression, {
    currentDate: new Date('2026-08-05T10:07:03Z'),
    tz: 'UTC',
  });
  return Array.from({ length: count }, () => parsed.next().toDate().toISOString().slice(0, 19));
}

describe('CronExpression', () => {
  it('has the 84 names of @nestjs/schedule, each for a text of five or six fields that can be read', () => {
    const all = Object.entries(CronExpression);
    expect(all).toHaveLength(84);
    for (const [name, expression] of all) {
      expect([name, expression.split(' ').length]).toEqual([
        name,
        name.endsWith('SECONDS') || name === 'EVERY_SECOND' ? 6 : 5,
      ]);
      expect(() => next(expression, 1)).not.toThrow();
    }
  });

  it.each<[keyof typeof CronExpression, string[]]>([
    ['EVERY_SECOND', ['2026-08-05T10:07:04', '2026-08-05T10:07:05']],
    ['EVERY_5_SECONDS', ['2026-08-05T10:07:05', '2026-08-05T10:07:10']],
    ['EVERY_MINUTE', ['2026-08-05T10:08:00', '2026-08-05T10:09:00']],
    ['EVERY_15_MINUTES', ['2026-08-05T10:15:00', '2026-08-05T10:30:00']],
    ['EVERY_HOUR', ['2026-08-05T11:00:00', '2026-08-05T12:00:00']],
    ['EVERY_5_HOURS', ['2026-08-05T15:00:00', '2026-08-05T20:00:00', '2026-08-06T00:00:00']],
    ['EVERY_2ND_HOUR', ['2026-08-05T12:00:00', '2026-08-05T14:00:00']],
    ['EVERY_2ND_HOUR_FROM_1AM_THROUGH_11PM', ['2026-08-05T11:00:00', '2026-08-05T13:00:00']],
    ['EVERY_DAY_AT_1AM', ['2026-08-06T01:00:00', '2026-08-07T01:00:00']],
    ['EVERY_DAY_AT_NOON', ['2026-08-05T12:00:00']],
    ['EVERY_DAY_AT_11PM', ['2026-08-05T23:00:00']],
    ['EVERY_DAY_AT_MIDNIGHT', ['2026-08-06T00:00:00']],
    ['EVERY_WEEK', ['2026-08-09T00:00:00', '2026-08-16T00:00:00']],
    ['EVERY_WEEKDAY', ['2026-08-06T00:00:00', '2026-08-07T00:00:00', '2026-08-10T00:00:00']],
    ['EVERY_WEEKEND', ['2026-08-08T00:00:00', '2026-08-09T00:00:00', '2026-08-15T00:00:00']],
    ['EVERY_1ST_DAY_OF_MONTH_AT_NOON', ['2026-09-01T12:00:00', '2026-10-01T12:00:00']],
    ['EVERY_2ND_MONTH', ['2026-09-01T00:00:00', '2026-11-01T00:00:00']],
    ['EVERY_QUARTER', ['2026-10-01T00:00:00', '2027-01-01T00:00:00']],
    ['EVERY_6_MONTHS', ['2027-01-01T00:00:00', '2027-07-01T00:00:00']],
    ['EVERY_YEAR', ['2027-01-01T00:00:00', '2028-01-01T00:00:00']],
    ['EVERY_30_MINUTES_BETWEEN_9AM_AND_5PM', ['2026-08-05T10:30:00', '2026-08-05T11:00:00']],
    ['MONDAY_TO_FRIDAY_AT_9AM', ['2026-08-06T09:00:00', '2026-08-07T09:00:00', '2026-08-10T09:00:00']],
    ['MONDAY_TO_FRIDAY_AT_09_30AM', ['2026-08-06T09:30:00']],
    ['MONDAY_TO_FRIDAY_AT_12PM', ['2026-08-05T12:00:00']],
  ])('%s is what its name says', (name, moments) => {
    expect(next(CronExpression[name], moments.length)).toEqual(moments);
  });

  it('has the hour in the name of every daily and weekday text', () => {
    for (const [name, expression] of Object.entries(CronExpression)) {
      const [, hour, half] = /^(?:EVERY_DAY|MONDAY_TO_FRIDAY)_AT_(\d+)(AM|PM)$/.exec(name) ?? [];
      if (hour === undefined) continue;
      const expected = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
      expect([name, next(expression, 1)[0]!.slice(11)]).toEqual([
        name,
        `${String(expected).padStart(2, '0')}:00:00`,
      ]);
    }
  });
});
