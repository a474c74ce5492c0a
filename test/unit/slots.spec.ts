import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spanMs, type Span } from '../../lib/task/duration.js';
import { InvalidOptionError } from '../../lib/task/errors.js';
import { firstSlotOf, slotsOf, type SlotRule, type Slots } from '../../lib/task/slots.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const first = Date.parse('2026-01-31T12:34:56.789Z');

function following(slots: Slots, from: number, count: number): number[] {
  const found: number[] = [];
  for (let slot = slots.after(from); slot !== undefined && found.length < count; slot = slots.after(slot))
    found.push(slot);
  return found;
}

const iso = (slot: number) => new Date(slot).toISOString();

describe('Slots of a fixed span', () => {
  const slots = slotsOf({ every: { ms: minute } }, first);

  it('lie on a grid from the first, and 60 of them do not drift', () => {
    expect(following(slots, first - 1, 60)).toEqual(Array.from({ length: 60 }, (_, n) => first + n * minute));
  });

  it('are on the same grid after years, however late they are asked for', () => {
    const late = first + 10 * 365 * day + 12_345;
    expect(slots.after(late)! - first).toBe(10 * 365 * day + minute);
    expect(slots.upTo(late)! - first).toBe(10 * 365 * day);
  });

  it('begin with the first: before it there is none', () => {
    expect([slots.upTo(first - 1), slots.upTo(first)]).toEqual([undefined, first]);
    for (const t of [first - 1, first - 10 * day, first - 1_000 * day]) expect(slots.after(t)).toBe(first);
    expect(slots.after(first)).toBe(first + minute);
  });

  it('are whole milliseconds, whatever the moments', () => {
    const odd = slotsOf({ every: { ms: minute } }, first + 0.4);
    expect([odd.after(first - 0.5), odd.after(first + 0.5), odd.upTo(first + 0.5)]).toEqual([
      first,
      first + minute,
      first,
    ]);
  });

  it('are none at what is no moment', () => {
    for (const rule of [{ every: { ms: 1 } }, { every: { months: 1 } }] satisfies SlotRule[])
      for (const t of [NaN, Infinity, 1e300]) {
        expect(slotsOf(rule, first).after(t)).toBeUndefined();
        expect(slotsOf(rule, first).upTo(t)).toBeUndefined();
      }
  });

  it.each<Span>([{ ms: 0 }, { ms: -1 }, { ms: NaN }, { months: 0 }])('of %j would be endless', (every) => {
    expect(() => slotsOf({ every }, first)).toThrow(InvalidOptionError);
  });
});

describe('Slots of months', () => {
  it('are at the end of a shorter month and back on their day afterwards', () => {
    const slots = slotsOf({ every: { months: 1 } }, first);
    expect(following(slots, first - 1, 14).map((slot) => iso(slot).slice(0, 10))).toEqual([
      ...['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30', '2026-07-31'],
      ...['2026-08-31', '2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28'],
    ]);
    expect(iso(slots.after(first)!)).toBe('2026-02-28T12:34:56.789Z');
  });

  it('are the same after decades', () => {
    const yearly = slotsOf({ every: { months: 12 } }, Date.parse('2028-02-29T00:00:00Z'));
    expect(iso(yearly.after(Date.UTC(2103))!)).toBe('2103-02-28T00:00:00.000Z');
    expect(iso(yearly.upTo(Date.UTC(2105))!)).toBe('2104-02-29T00:00:00.000Z');
  });

  it('and of fixed spans are those counted one by one from the first', () => {
    const every = fc.oneof(
      fc.integer({ min: 1, max: 100 * day }).map((ms): Span => ({ ms })),
      fc.integer({ min: 1, max: 30 }).map((months): Span => ({ months })),
    );
    const start = fc.integer({ min: Date.UTC(1960), max: Date.UTC(2060) });
    fc.assert(
      fc.property(
        every,
        start,
        fc.nat({ max: 500 }),
        fc.double({ min: 0, max: 1 }),
        (span, from, n, part) => {
          const at = (index: number) =>
            from + ('ms' in span ? index * span.ms : spanMs({ months: index * span.months }, from));
          const t = at(n) + Math.floor((at(n + 1) - at(n) - 1) * (part || 0));
          const slots = slotsOf({ every: span }, from);
          expect([slots.upTo(t), slots.after(t)]).toEqual([at(n), at(n + 1)]);
          expect(slots.upTo(at(n) - 1)).toBe(n === 0 ? undefined : at(n - 1));
          expect(slots.count(from, t + 1)).toBe(n + 1);
          expect(slots.intervalAfter(at(n))).toBe(at(n + 1) - at(n));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('Slots of a cron text', () => {
  const rule: SlotRule = { cron: '0 8 1 * *', timeZone: 'Europe/Berlin' };
  const slots = slotsOf(rule, Date.parse('2026-03-01T07:00:00Z'));

  it('follow the wall clock of the zone, from the first on', () => {
    expect(following(slots, 0, 4).map(iso)).toEqual([
      '2026-03-01T07:00:00.000Z',
      '2026-04-01T06:00:00.000Z',
      '2026-05-01T06:00:00.000Z',
      '2026-06-01T06:00:00.000Z',
    ]);
    expect(slots.upTo(Date.parse('2026-03-01T06:59:59Z'))).toBeUndefined();
    expect(iso(slots.upTo(Date.parse('2026-03-31T00:00:00Z'))!)).toBe('2026-03-01T07:00:00.000Z');
  });

  it('are counted up to a thousand', () => {
    expect(slots.count(0, Date.UTC(2027))).toBe(10);
    expect(slots.count(Date.parse('2026-04-01T06:00:00Z'), Date.parse('2026-05-01T06:00:00Z'))).toBe(1);
    expect(slotsOf({ cron: '* * * * * *', timeZone: 'UTC' }, first).count(first, first + day)).toBe(1_000);
  });
});

describe('The end of a schedule', () => {
  it('by `for` counts from the first slot, and a slot there is none', () => {
    const slots = slotsOf({ every: { ms: 10 * minute }, for: { ms: hour } }, first);
    expect(following(slots, 0, 100)).toHaveLength(6);
    expect(slots.after(first + 50 * minute)).toBeUndefined();
    expect(slots.upTo(first + 10 * hour)).toBe(first + 50 * minute);
    expect(slots.count(0, first + 10 * hour)).toBe(6);
    const months = slotsOf({ every: { ms: day }, for: { months: 1 } }, first);
    expect(iso(months.upTo(Infinity)!)).toBe('2026-02-27T12:34:56.789Z');
  });

  it('by `until` is that moment, and a slot there is none', () => {
    const until = first + hour;
    for (const [end, count] of [
      [until, 6],
      [until + 0.5, 7],
      [until + 1, 7],
      [first, 0],
      [first - day, 0],
    ] as const) {
      const slots = slotsOf({ every: { ms: 10 * minute }, until: end }, first);
      expect(following(slots, 0, 100)).toHaveLength(count);
      expect(slots.count(0, first + day)).toBe(count);
    }
    const cron = slotsOf(
      { cron: '0 8 * * *', timeZone: 'UTC', until: Date.parse('2026-02-03T08:00Z') },
      first,
    );
    expect(following(cron, 0, 100).map((slot) => iso(slot).slice(0, 10))).toEqual([
      '2026-02-01',
      '2026-02-02',
    ]);
  });

  it('does not change how far the last slot is from the one that would follow', () => {
    const slots = slotsOf({ every: { ms: 10_000 }, for: { ms: 10_000 } }, first);
    expect([slots.after(first), slots.intervalAfter(first)]).toEqual([undefined, 10_000]);
  });
});

describe('The first slot of a rule', () => {
  const now = Date.parse('2026-03-10T08:00:00Z');
  const every: SlotRule = { every: { ms: hour } };
  const daily: SlotRule = { cron: '0 8 * * *', timeZone: 'UTC' };

  it('of a span is `from`, else the moment at which it is stored', () => {
    expect(firstSlotOf(every, undefined, now)).toBe('now');
    expect(firstSlotOf(every, now + 5, now)).toBe(now + 5);
    expect(firstSlotOf(every, now - 5, now)).toBe(now - 5);
    expect(firstSlotOf(every, now + 0.5, now)).toBe(now + 1);
  });

  it('of a cron text is the first match from `from` on, else the first after now', () => {
    expect(firstSlotOf(daily, undefined, now)).toBe(now + day);
    expect(firstSlotOf(daily, undefined, now - 1)).toBe(now);
    expect(firstSlotOf(daily, now, now + 5 * day)).toBe(now);
    expect(firstSlotOf(daily, now + 1, now)).toBe(now + day);
    expect(firstSlotOf(daily, now - 0.5, now)).toBe(now);
  });

  it('is none where the schedule has ended before', () => {
    expect(firstSlotOf({ ...every, until: now }, undefined, now)).toBeUndefined();
    expect(firstSlotOf({ ...every, until: now + 1 }, undefined, now)).toBe('now');
    expect(firstSlotOf({ ...every, until: now }, now, now - day)).toBeUndefined();
    expect(firstSlotOf({ ...every, for: { ms: 0 } }, undefined, now)).toBeUndefined();
    expect(firstSlotOf({ ...daily, until: now + day }, undefined, now)).toBeUndefined();
    expect(firstSlotOf({ ...daily, until: now + day + 1 }, undefined, now)).toBe(now + day);
    expect(firstSlotOf({ ...daily, for: { ms: 1 } }, undefined, now)).toBe(now + day);
  });

  it('is none where daylight saving skips all matches', () => {
    const rule: SlotRule = { cron: '30 2/24 * 3 0L', timeZone: 'Europe/Berlin' };
    expect(firstSlotOf(rule, undefined, now)).toBeUndefined();
  });
});
