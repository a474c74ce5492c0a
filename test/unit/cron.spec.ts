import { describe, expect, it } from '@jest/globals';
import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { checkCron, cronIn } from '../../lib/task/cron.js';

const start = Date.parse('2026-01-01T00:00:00Z');

/** The next slots of a text in UTC, written short. */
function next(text: string, count: number, from = start - 1): string[] {
  const cron = cronIn(text, 'UTC');
  const found: string[] = [];
  for (let slot = cron.after(from); slot !== undefined && found.length < count; slot = cron.after(slot))
    found.push(
      new Date(slot)
        .toISOString()
        .replace(/:00\.000Z$/, '')
        .replace('.000Z', ''),
    );
  return found;
}

describe('The slots of a cron text', () => {
  it.each([
    ['* * * * *', ['2026-01-01T00:00', '2026-01-01T00:01', '2026-01-01T00:02']],
    ['* * * * * *', ['2026-01-01T00:00', '2026-01-01T00:00:01', '2026-01-01T00:00:02']],
    [
      '*/20 * * * * *',
      ['2026-01-01T00:00', '2026-01-01T00:00:20', '2026-01-01T00:00:40', '2026-01-01T00:01'],
    ],
    ['5/25 * * * *', ['2026-01-01T00:05', '2026-01-01T00:30', '2026-01-01T00:55', '2026-01-01T01:05']],
    ['0 8 1 * *', ['2026-01-01T08:00', '2026-02-01T08:00', '2026-03-01T08:00']],
    ['0,30 9-10 * * *', ['2026-01-01T09:00', '2026-01-01T09:30', '2026-01-01T10:00', '2026-01-01T10:30']],
    ['0 12 * FEB,jun *', ['2026-02-01T12:00', '2026-02-02T12:00']],
    ['0 12 * * MON-wed', ['2026-01-05T12:00', '2026-01-06T12:00', '2026-01-07T12:00', '2026-01-12T12:00']],
    ['0 0 * * THU', ['2026-01-01T00:00', '2026-01-08T00:00']],
    ['0 0 1 MAR *', ['2026-03-01T00:00', '2027-03-01T00:00']],
    ['0 0 * * 7', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0 0 * * 5-7', ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00', '2026-01-09T00:00']],
    ['0 0 31 * *', ['2026-01-31T00:00', '2026-03-31T00:00', '2026-05-31T00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['0 0 L * *', ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00']],
    ['0 0 L 2 ?', ['2026-02-28T00:00', '2027-02-28T00:00', '2028-02-29T00:00']],
    ['0 0 15,L * *', ['2026-01-15T00:00', '2026-01-31T00:00', '2026-02-15T00:00']],
    ['0 0 * * 5L', ['2026-01-30T00:00', '2026-02-27T00:00', '2026-03-27T00:00']],
    ['0 0 * * friL', ['2026-01-30T00:00', '2026-02-27T00:00']],
    ['0 0 * * 1L,3L', ['2026-01-26T00:00', '2026-01-28T00:00', '2026-02-23T00:00']],
    ['0 0 * * 7L', ['2026-01-25T00:00', '2026-02-22T00:00']],
    ['0 0 * * 5#3', ['2026-01-16T00:00', '2026-02-20T00:00']],
    ['0 0 * * MON#1', ['2026-01-05T00:00', '2026-02-02T00:00']],
    ['0 0 * * 1#5', ['2026-03-30T00:00', '2026-06-29T00:00']],
    ['0 0 13 * 5', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00', '2026-01-16T00:00']],
    ['0 0 31 2 1', ['2026-02-02T00:00', '2026-02-09T00:00']],
    ['@yearly', ['2026-01-01T00:00', '2027-01-01T00:00']],
    ['@annually', ['2026-01-01T00:00', '2027-01-01T00:00']],
    ['@monthly', ['2026-01-01T00:00', '2026-02-01T00:00']],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['@daily', ['2026-01-01T00:00', '2026-01-02T00:00']],
    ['@hourly', ['2026-01-01T00:00', '2026-01-01T01:00']],
    ['@minutely', ['2026-01-01T00:00', '2026-01-01T00:01']],
    ['@secondly', ['2026-01-01T00:00', '2026-01-01T00:00:01']],
    ['@weekdays', ['2026-01-01T00:00', '2026-01-02T00:00', '2026-01-05T00:00']],
    ['@weekends', ['2026-01-03T00:00', '2026-01-04T00:00', '2026-01-10T00:00']],
    ['  0\t8  1 * *  ', ['2026-01-01T08:00', '2026-02-01T08:00']],
  ])('%j are %j …', (text, slots) => {
    expect(next(text, slots.length)).toEqual(slots);
  });

  it('are after the moment asked about, even by a millisecond, or up to it', () => {
    const cron = cronIn('0 8 * * *', 'UTC');
    const eight = start + 8 * 3_600_000;
    const day = 86_400_000;
    expect([eight - 1, eight - 0.5, eight, eight + 0.5].map((t) => cron.after(t))).toEqual([
      eight,
      eight,
      eight + day,
      eight + day,
    ]);
    expect([eight - 1, eight - 0.5, eight, eight + 0.5].map((t) => cron.upTo(t))).toEqual([
      eight - day,
      eight - day,
      eight,
      eight,
    ]);
  });

  it('before 1970 and far ahead are as regular', () => {
    expect(next('0 0 29 2 *', 2, Date.UTC(1896))).toEqual(['1896-02-29T00:00', '1904-02-29T00:00']);
    expect(next('59 23 31 12 *', 1, Date.UTC(1960))).toEqual(['1960-12-31T23:59']);
    expect(next('0 0 29 2 1', 1, Date.UTC(9_000))).toEqual(['9000-02-03T00:00']);
  });

  it('that are no moments are none', () => {
    const cron = cronIn('* * * * *', 'Europe/Berlin');
    for (const t of [NaN, Infinity, -Infinity, 8.64e15, -8.64e15, 1e300]) {
      expect(cron.after(t)).toBeUndefined();
      expect(cron.upTo(t)).toBeUndefined();
    }
  });

  it('are those that cron-parser finds in UTC, forwards and backwards', () => {
    fc.assert(
      fc.property(cronText, moment, (text, from) => {
        const theirs = CronExpressionParser.parse(text, { tz: 'UTC', currentDate: new Date(from) });
        const ours = cronIn(text, 'UTC');
        let slot: number | undefined = from;
        for (let step = 0; step < 5; step++) {
          slot = ours.after(slot!);
          expect(slot).toBe(theirs.next().getTime());
        }
        theirs.reset(new Date(from));
        slot = from;
        for (let step = 0; step < 5; step++) {
          slot = ours.upTo(slot! - 1);
          expect(slot).toBe(theirs.prev().getTime());
        }
      }),
      { numRuns: 400 },
    );
  });

  it('come back the same way that they went', () => {
    fc.assert(
      fc.property(cronText, moment, (text, from) => {
        const cron = cronIn(text, 'UTC');
        const slot = cron.after(from)!;
        expect(cron.upTo(slot)).toBe(slot);
        expect(cron.after(slot - 1)).toBe(slot);
        expect(cron.upTo(slot - 1)! <= from).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

describe('A cron text that matches never', () => {
  it('in a zone, because daylight saving always skips it, has no slots and is not searched for for ever', () => {
    const cron = cronIn('30 2/24 * 3 0L', 'Europe/Berlin');
    expect(cron.after(start)).toBeUndefined();
    expect(cron.upTo(start)).toBeUndefined();
    expect(cronIn('30 2/24 * 3 0L', 'Asia/Kolkata').after(start)).toBe(Date.parse('2026-03-28T21:00:00Z'));
  });
});

const moment = fc.integer({ min: Date.UTC(1975), max: Date.UTC(2080) });

/** Some values of a field, as a list of values, ranges and steps that do not overlap. */
function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: max - min });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    value.map(String),
    fc.uniqueArray(value, { minLength: 1, maxLength: 5 }).map((values) => values.join(',')),
    range,
    fc.tuple(range, step).map(([text, by]) => `${text}/${by}`),
    step.map((by) => `*/${by}`),
    fc.tuple(value, step).map(([from, by]) => `${from}/${by}`),
  );
}

const monthDay = fc.oneof({ weight: 4, arbitrary: field(1, 28) }, fc.constantFrom('L', '1,L', '10,20,L'));
const weekDay = fc.oneof(
  { weight: 4, arbitrary: field(0, 6) },
  fc.constantFrom(
    '7',
    '5-7',
    '0-7',
    '1-7/2',
    'MON-FRI',
    'sun',
    '5L',
    '0L',
    '7L',
    '1,5L',
    '2#1',
    '4#4',
    'TUE#2',
  ),
);
const cronText = fc
  .tuple(field(0, 59), field(0, 59), field(0, 23), monthDay, field(1, 12), weekDay, fc.boolean())
  .map(([second, ...rest]) => {
    const fields = rest.slice(0, 5).join(' ');
    return rest[5] ? `${second} ${fields}` : fields;
  })
  .filter((text) => {
    try {
      checkCron(text, 'Report');
      return true;
    } catch {
      return false;
    }
  });
