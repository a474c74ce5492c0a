import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidOptionError } from '../../lib/task/errors.js';
import { checkTimeZone, timeZoneNamed } from '../../lib/task/time-zone.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/St_Johns'],
  ...['Africa/Casablanca', 'America/Sao_Paulo', 'Pacific/Apia', 'Asia/Kathmandu', 'Africa/Monrovia'],
];
const moment = fc.integer({ min: Date.UTC(1890), max: Date.UTC(2090) });

/** The offset by way of the wall clock's own figures, which TimeZone does not use. */
function offsetByFigures(zone: string, ms: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const figures = Object.fromEntries(
    format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  const { year, month, day, hour, minute, second } = figures;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}

describe('The offset of a zone', () => {
  it('is what its wall clock shows, to the second', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (zone, ms) => {
        expect(timeZoneNamed(zone).offsetAt(ms)).toBe(offsetByFigures(zone, ms));
      }),
      { numRuns: 500 },
    );
    expect(timeZoneNamed('Europe/Berlin').offsetAt(Date.UTC(1890))).toBe((53 * 60 + 28) * 1_000);
    expect(timeZoneNamed('Africa/Monrovia').offsetAt(Date.UTC(1960))).toBe(-(44 * 60 + 30) * 1_000);
  });
});

describe('A change of the offset', () => {
  it.each([
    ['Europe/Berlin', '2026-01-01', '2026-03-29T01:00:00Z', 1, 2],
    ['Europe/Berlin', '2026-04-01', '2026-10-25T01:00:00Z', 2, 1],
    ['America/New_York', '2026-01-01', '2026-03-08T07:00:00Z', -5, -4],
    ['America/New_York', '2026-04-01', '2026-11-01T06:00:00Z', -4, -5],
    ['Australia/Lord_Howe', '2026-01-01', '2026-04-04T15:00:00Z', 11, 10.5],
    ['Australia/Lord_Howe', '2026-05-01', '2026-10-03T15:30:00Z', 10.5, 11],
    ['Pacific/Apia', '2011-12-01', '2011-12-30T10:00:00Z', -10, 14],
    ['America/Sao_Paulo', '2018-10-01', '2018-11-04T03:00:00Z', -3, -2],
    ['Africa/Casablanca', '2025-02-01', '2025-02-23T02:00:00Z', 1, 0],
    ['Europe/Berlin', '1893-01-01', '1893-03-31T23:06:32Z', (53 * 60 + 28) / 3_600, 1],
    ['Europe/Berlin', '2150-01-01', '2150-03-29T01:00:00Z', 1, 2],
  ])('of %s after %s is at %s', (zone, after, at, before, then) => {
    const [from, found] = [Date.parse(after), Date.parse(at)];
    const clock = timeZoneNamed(zone);
    expect(clock.nextTransition(from, from + 300 * dayMs)).toBe(found);
    expect(clock.nextTransition(from, found)).toBe(found);
    expect(clock.nextTransition(from, found - 1)).toBeUndefined();
    expect(clock.nextTransition(found - 1, found)).toBe(found);
    expect(clock.nextTransition(found, found + 10 * dayMs)).toBeUndefined();
    expect([clock.offsetAt(found - 1), clock.offsetAt(found)]).toEqual([before * hourMs, then * hourMs]);
  });

  it('is found looking back as well', () => {
    const clock = timeZoneNamed('Europe/Berlin');
    const at = Date.parse('2026-10-25T01:00:00Z');
    expect(clock.previousTransition(Date.UTC(2027), Date.UTC(2026))).toBe(at);
    expect(clock.previousTransition(at, Date.UTC(2026))).toBe(at);
    expect(clock.previousTransition(at, at - 1)).toBe(at);
    expect(clock.previousTransition(at, at)).toBeUndefined();
    expect(clock.previousTransition(at - 1, at - 30 * dayMs)).toBeUndefined();
    expect(clock.previousTransition(Date.UTC(2027), at)).toBeUndefined();
  });

  it('is the same forwards and backwards, and the offset differs on its two sides only', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (zone, from) => {
        const clock = timeZoneNamed(zone);
        const to = from + 400 * dayMs;
        const next = clock.nextTransition(from, to);
        expect(clock.offsetAt((next ?? to) - 1)).toBe(clock.offsetAt(from));
        if (next === undefined) expect(clock.previousTransition(to, from)).toBeUndefined();
        else {
          expect(clock.offsetAt(next)).not.toBe(clock.offsetAt(next - 1));
          expect(clock.previousTransition(next, from)).toBe(next);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each(['UTC', 'Etc/UTC', 'Asia/Kolkata', 'Asia/Tokyo'])('does not come in %s', (zone) => {
    const clock = timeZoneNamed(zone);
    expect(clock.nextTransition(Date.UTC(2000), Date.UTC(2030))).toBeUndefined();
    expect(clock.previousTransition(Date.UTC(2030), Date.UTC(2000))).toBeUndefined();
  });
});

describe('The name of a zone', () => {
  it.each([...zones, 'europe/berlin', 'GMT'])('may be %s', (zone) => {
    expect(() => checkTimeZone(zone, 'Report')).not.toThrow();
  });

  it.each([
    ...['', ' ', 'Mars/Phobos', 'Europe/Berlin ', 'CEST', 'local', '\0', 'x'.repeat(10_000)],
    ...[undefined, null, 1, true, {}, [], ['UTC'], Symbol('UTC'), () => 'UTC'],
  ])('is not %p', (zone) => {
    expect(() => checkTimeZone(zone, 'Report')).toThrow(InvalidOptionError);
    expect(() => checkTimeZone(zone, 'Report')).toThrow(/^Report: timeZone is .*, such as 'UTC' or/);
    expect(() => checkTimeZone(zone, 'Report', 'zone')).toThrow(/^Report: zone is/);
  });
});
