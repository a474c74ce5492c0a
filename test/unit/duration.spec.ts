import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spanMs, toMs, toSpan } from '../../lib/task/duration.js';
import { InvalidOptionError } from '../../lib/task/errors.js';

const use = { where: 'Send', option: 'timeout' };
const calendar = { ...use, calendar: true };
const signed = { ...use, negative: true };

describe('A duration', () => {
  it.each([
    [0, 0],
    [1_500, 1_500],
    ['0ms', 0],
    ['500ms', 500],
    ['90s', 90_000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['1.5s', 1_500],
    ['0.0004s', 0],
    ['5 m', 300_000],
    [' 5m ', 300_000],
  ])('of %j is %d ms', (value, ms) => {
    expect(toMs(value, use)).toBe(ms);
  });

  it('is its number in the unit, for every unit', () => {
    const units = { ms: 1, s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7, w: 6.048e8 };
    const unit = fc.constantFrom(...(Object.keys(units) as (keyof typeof units)[]));
    fc.assert(
      fc.property(fc.integer({ min: -5_000, max: 5_000 }), unit, (amount, name) => {
        expect(toMs(`${amount}${name}`, signed) + 0).toBe(amount * units[name] + 0);
      }),
    );
  });

  it.each([
    ...['', ' ', 's', '5', '5 minutes', '5M', '1S', '1e3s', '+5s', '5.s', '.5s', '1m30s', '5  m', '٣s'],
    ...[NaN, Infinity, -Infinity, null, undefined, true, {}, [], ['5s'], 5n, new Date(0), Symbol('5s')],
  ])('is not %p', (value) => {
    expect(() => toMs(value as never, use)).toThrow(InvalidOptionError);
  });

  it('that is none is reported with the class, the option, the value and what would do', () => {
    expect(() => toMs('soon', use)).toThrow(
      /^Send: timeout is "soon", but must be a duration in milliseconds or like '500ms', .*not negative/,
    );
    expect(() => toMs('soon', use)).not.toThrow(/1mo/);
    expect(() => toSpan('soon', calendar)).toThrow(/'1mo', '1y'/);
    expect(() => toMs('soon', signed)).not.toThrow(/negative/);
  });

  it('is negative only where that is allowed', () => {
    for (const value of [-1, '-1s']) expect(() => toMs(value, use)).toThrow(InvalidOptionError);
    expect(toMs(-1, signed)).toBe(-1);
    expect(toMs('-1m', signed)).toBe(-60_000);
    expect(toSpan('-2mo', { ...calendar, negative: true })).toEqual({ months: -2 });
  });

  it('is of 100 years at most, so that it gives a valid date', () => {
    expect(toMs('36500d', use)).toBe(36_500 * 86_400_000);
    expect(toSpan('100y', calendar)).toEqual({ months: 1_200 });
    for (const value of ['36501d', 1e15, '101y', '1201mo', `${'9'.repeat(400)}s`])
      expect(() => toSpan(value, calendar)).toThrow(InvalidOptionError);
    expect(() => toMs('-36501d', signed)).toThrow(InvalidOptionError);
  });

  it('is a whole number of milliseconds, however it is written: stores keep whole ones', () => {
    expect(toMs('0.0015s', use)).toBe(2);
    expect(Number.isInteger(toMs(1.5, use))).toBe(true);
  });

  it('of months and years is allowed only where the calendar makes sense', () => {
    for (const value of ['1mo', '1y', '0.5y']) expect(() => toMs(value, use)).toThrow(InvalidOptionError);
    expect(toSpan('3mo', calendar)).toEqual({ months: 3 });
    expect(toSpan('2y', calendar)).toEqual({ months: 24 });
    expect(toSpan('0.5y', calendar)).toEqual({ months: 6 });
    expect(() => toSpan('1.5mo', calendar)).toThrow(InvalidOptionError);
  });
});

describe('A calendar span', () => {
  it.each([
    ['2030-01-31T12:34:56.789Z', '1mo', '2030-02-28T12:34:56.789Z'],
    ['2028-01-31T00:00:00.000Z', '1mo', '2028-02-29T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', '1y', '2029-02-28T00:00:00.000Z'],
    ['2030-12-15T23:59:59.999Z', '1mo', '2031-01-15T23:59:59.999Z'],
    ['2030-10-31T00:00:00.000Z', '4mo', '2031-02-28T00:00:00.000Z'],
    ['2030-03-31T00:00:00.000Z', '-1mo', '2030-02-28T00:00:00.000Z'],
    ['2030-01-15T00:00:00.000Z', '-1mo', '2029-12-15T00:00:00.000Z'],
    ['2030-01-15T00:00:00.000Z', '0mo', '2030-01-15T00:00:00.000Z'],
  ])('from %s of %s ends at %s', (from, text, end) => {
    const start = Date.parse(from);
    const span = toSpan(text, { ...calendar, negative: true });
    expect(new Date(start + spanMs(span, start)).toISOString()).toBe(end);
  });

  it('ends on the same day at the same time, or on the last day of a shorter month', () => {
    const moment = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 1_200 }), (from, months) => {
        const start = new Date(from);
        const end = new Date(from + spanMs({ months }, from));
        const monthsOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(monthsOf(end) - monthsOf(start)).toBe(months);
        expect(end.getTime() % 86_400_000).toBe(from % 86_400_000);
        const isLastDay = new Date(end.getTime() + 86_400_000).getUTCDate() === 1;
        expect(
          end.getUTCDate() === start.getUTCDate() || (isLastDay && end.getUTCDate() < start.getUTCDate()),
        ).toBe(true);
      }),
    );
  });

  it('of fixed length does not depend on its start', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (ms, from) => {
        expect(spanMs({ ms }, from)).toBe(ms);
      }),
    );
  });
});
