import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cronIn } from '../../lib/task/cron.js';
import { timeZoneNamed } from '../../lib/task/time-zone.js';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** The slots from one moment to another. */
function slots(text: string, zone: string, from: number, to: number): number[] {
  const cron = cronIn(text, zone);
  const found: number[] = [];
  for (let slot = cron.after(from - 1); slot !== undefined && slot < to; slot = cron.after(slot))
    found.push(slot);
  return found;
}

/** The slots from one moment to another, as the wall clock of the zone shows them: month, day and time. */
function shownSlots(text: string, zone: string, from: string, to: string): string[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return slots(text, zone, Date.parse(from), Date.parse(to)).map((slot) => format.format(slot).slice(5));
}

describe('A named hour that daylight saving skips', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28', ['03-28 02:30', '03-29 03:30', '03-30 02:30']],
    ['Europe/Berlin', '0 3 * * *', '2026-03-28', ['03-28 03:00', '03-29 03:00', '03-30 03:00']],
    ['Europe/Berlin', '59 1 * * *', '2026-03-28', ['03-28 01:59', '03-29 01:59', '03-30 01:59']],
    ['America/New_York', '30 2 * * *', '2026-03-07T05:00Z', ['03-07 02:30', '03-08 03:30', '03-09 02:30']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-02T12:00Z', ['10-03 02:15', '10-04 02:45', '10-05 02:15']],
    ['Australia/Lord_Howe', '45 2 * * *', '2026-10-02T12:00Z', ['10-03 02:45', '10-04 02:45', '10-05 02:45']],
    ['Asia/Kolkata', '30 2 * * *', '2026-03-27T20:00Z', ['03-28 02:30', '03-29 02:30', '03-30 02:30']],
    ['UTC', '30 2 * * *', '2026-03-28', ['03-28 02:30', '03-29 02:30', '03-30 02:30']],
    ['America/Sao_Paulo', '0 0 * * *', '2018-11-03', ['11-03 00:00', '11-04 01:00', '11-05 00:00']],
    ['America/Sao_Paulo', '@daily', '2018-11-03', ['11-03 00:00', '11-04 01:00', '11-05 00:00']],
    ['Africa/Casablanca', '30 2 * * *', '2025-04-05', ['04-05 02:30', '04-06 03:30', '04-07 02:30']],
  ])('in %s (%s) runs once, moved past the gap', (zone, text, from, expected) => {
    const start = Date.parse(from);
    const shown = shownSlots(
      text,
      zone,
      new Date(start).toISOString(),
      new Date(start + 3 * dayMs).toISOString(),
    );
    expect(shown.slice(0, 3)).toEqual(expected);
  });

  it('keeps its minutes, each moved by the length of the gap', () => {
    expect(shownSlots('*/15 2 * * *', 'Europe/Berlin', '2026-03-29', '2026-03-30')).toEqual([
      '03-29 03:00',
      '03-29 03:15',
      '03-29 03:30',
      '03-29 03:45',
    ]);
    expect(shownSlots('*/10 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-04')).toEqual([
      '10-04 02:30',
      '10-04 02:40',
      '10-04 02:50',
    ]);
  });

  it('is one slot with a real one at the same moment', () => {
    expect(shownSlots('30 2,3 * * *', 'Europe/Berlin', '2026-03-29', '2026-03-30')).toEqual(['03-29 03:30']);
    expect(shownSlots('0 2,3 * * *', 'America/New_York', '2026-03-08T05:00Z', '2026-03-09T04:00Z')).toEqual([
      '03-08 03:00',
    ]);
    expect(shownSlots('0,30 2,3 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-04')).toEqual([
      '10-04 02:30',
      '10-04 03:00',
      '10-04 03:30',
    ]);
  });

  it('is kept where a whole day is skipped: 30 December 2011 in Apia', () => {
    const [from, to] = ['2011-12-29T00:00Z', '2012-01-02T00:00Z'];
    expect(shownSlots('0 8 * * *', 'Pacific/Apia', from, to)).toEqual([
      '12-29 08:00',
      '12-31 08:00',
      '01-01 08:00',
      '01-02 08:00',
    ]);
    expect(shownSlots('0 8 30 12 *', 'Pacific/Apia', from, to)).toEqual(['12-31 08:00']);
    expect(shownSlots('0 */12 30 12 *', 'Pacific/Apia', from, to)).toEqual([]);
  });
});

describe('A named hour that daylight saving repeats', () => {
  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-10-25T00:30Z'],
    ['Europe/Berlin', '0 2 * * *', '2026-10-25T00:00Z'],
    ['America/New_York', '30 1 * * *', '2026-11-01T05:30Z'],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T14:45Z'],
    ['America/Sao_Paulo', '30 23 * * *', '2018-02-18T01:30Z'],
  ])('in %s (%s) runs once, at the first', (zone, text, at) => {
    const moment = Date.parse(at);
    expect(slots(text, zone, moment - dayMs / 2, moment + dayMs / 2)).toEqual([moment]);
  });

  it('comes as it is where only the hour after it is meant', () => {
    expect(slots('0 3 * * *', 'Europe/Berlin', Date.UTC(2026, 9, 25), Date.UTC(2026, 9, 26))).toEqual([
      Date.parse('2026-10-25T02:00Z'),
    ]);
  });
});

describe('Hours by * or steps', () => {
  it.each([
    ['Europe/Berlin', '30 * * * *', '2026-03-29T00:00Z', ['01:30', '03:30', '04:30']],
    ['Europe/Berlin', '30 * * * *', '2026-10-25T00:00Z', ['02:30', '02:30', '03:30']],
    ['Europe/Berlin', '30 */2 * * *', '2026-03-28T23:00Z', ['00:30', '04:30', '06:30']],
    ['Europe/Berlin', '30 2/2 * * *', '2026-10-24T23:00Z', ['02:30', '02:30', '04:30']],
    ['Europe/Berlin', '@hourly', '2026-10-24T23:30Z', ['02:00', '02:00', '03:00']],
    ['Europe/Berlin', '0 ? * * *', '2026-10-24T23:30Z', ['02:00', '02:00', '03:00']],
    ['Australia/Lord_Howe', '15 * * * *', '2026-10-03T14:00Z', ['01:15', '03:15', '04:15']],
    ['Australia/Lord_Howe', '45 * * * *', '2026-04-04T14:30Z', ['01:45', '01:45', '02:45']],
    ['America/New_York', '0 * * * *', '2026-11-01T04:30Z', ['01:00', '01:00', '02:00']],
  ])('in %s (%s) run whenever the clock shows them', (zone, text, from, expected) => {
    const to = new Date(Date.parse(from) + dayMs).toISOString();
    const shown = shownSlots(text, zone, from, to).slice(0, 3);
    expect(shown.map((slot) => slot.slice(6))).toEqual(expected);
  });
});

describe('Years of slots', () => {
  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'])(
    'on the first of each month at 08:00 in %s are just that',
    (zone) => {
      const shown = shownSlots('0 8 1 * *', zone, '2020-01-15', '2050-01-15');
      expect(shown).toHaveLength(360);
      expect(shown).toEqual(
        Array.from({ length: 360 }, (_, n) => `${String(((n + 1) % 12) + 1).padStart(2, '0')}-01 08:00`),
      );
    },
  );

  it('at 02:30 each day are one a day, in every zone', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
      const shown = shownSlots('30 2 * * *', zone, '2020-01-01T12:00Z', '2030-01-01T12:00Z');
      expect(shown).toHaveLength(3_653);
      expect(shown.filter((slot, n) => slot.slice(0, 5) === shown[n - 1]?.slice(0, 5))).toEqual([]);
    }
  });
});

/** Some jumps of the wall clock, by an hour, half an hour, at midnight, over a day, and for good. */
const jumps = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00Z'],
  ['America/Sao_Paulo', '2018-02-18T02:00Z'],
  ['Africa/Casablanca', '2025-02-23T02:00Z'],
  ['Africa/Casablanca', '2025-04-06T02:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00Z'],
  ['Pacific/Kwajalein', '1969-09-30T13:00Z'],
  ['Asia/Kolkata', '2026-03-29T01:00Z'],
  ['UTC', '2026-03-29T01:00Z'],
] as const;

interface Pattern {
  readonly text: string;
  readonly isFixed: boolean;
  matches(wall: Date): boolean;
}

const minutes = fc.oneof(
  fc.uniqueArray(fc.nat({ max: 59 }), { minLength: 1, maxLength: 4 }),
  fc.constantFrom<number[]>([0, 15, 30, 45], [0], [30]),
);
const someHours = fc.uniqueArray(fc.nat({ max: 23 }), { minLength: 1, maxLength: 6 });
const hours = fc.oneof(
  fc.constant({ text: '*', isFixed: false, has: (_hour: number) => true }),
  fc.integer({ min: 1, max: 5 }).map((step) => ({
    text: `*/${step}`,
    isFixed: false,
    has: (hour: number) => hour % step === 0,
  })),
  fc.constant({ text: '0-23', isFixed: true, has: (_hour: number) => true }),
  fc.oneof(someHours, fc.constantFrom<number[]>([0], [1], [2], [2, 3], [23])).map((some) => ({
    text: some.join(','),
    isFixed: true,
    has: (hour: number) => some.includes(hour),
  })),
);
const weekDays = fc.oneof(
  fc.constant(undefined),
  fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 4 }),
);
const pattern: fc.Arbitrary<Pattern> = fc.tuple(minutes, hours, weekDays).map(([minute, hour, days]) => ({
  text: `${minute.join(',')} ${hour.text} * * ${days?.join(',') ?? '*'}`,
  isFixed: hour.isFixed,
  matches: (wall) =>
    minute.includes(wall.getUTCMinutes()) &&
    hour.has(wall.getUTCHours()) &&
    (days?.includes(wall.getUTCDay()) ?? true),
}));

/**
 * The slots by the words of the rule: each wall minute that matches, at its real occurrences, or, where it has none, moved
 * as if the clock had not jumped.
 */
function slotsByRule({ isFixed, matches }: Pattern, zone: string, from: number, to: number): number[] {
  const clock = timeZoneNamed(zone);
  const offsets = new Set<number>();
  for (let at = from - 3 * dayMs; at <= to + 3 * dayMs; at += dayMs / 4) offsets.add(clock.offsetAt(at));
  const found = new Set<number>();
  for (let wall = from - 2 * dayMs; wall < to + 2 * dayMs; wall += minuteMs) {
    if (!matches(new Date(wall))) continue;
    const real = [...offsets]
      .map((offset) => wall - offset)
      .filter((at) => at + clock.offsetAt(at) === wall)
      .sort((a, b) => a - b);
    const old = clock.offsetAt(wall - Math.max(...offsets));
    for (const at of isFixed ? [real[0] ?? wall - old] : real) found.add(at);
  }
  return [...found].filter((at) => at >= from && at < to).sort((a, b) => a - b);
}

describe('Around every jump of a wall clock', () => {
  it('the slots are those of the rule, found forwards and backwards', () => {
    fc.assert(
      fc.property(fc.constantFrom(...jumps), pattern, ([zone, at], given) => {
        const [from, to] = [Date.parse(at) - 3 * dayMs, Date.parse(at) + 3 * dayMs];
        const expected = slotsByRule(given, zone, from, to);
        expect(slots(given.text, zone, from, to)).toEqual(expected);

        const cron = cronIn(given.text, zone);
        const back: number[] = [];
        for (let slot = cron.upTo(to - 1); slot !== undefined && slot >= from; slot = cron.upTo(slot - 1))
          back.unshift(slot);
        expect(back).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  it('no slot lies between a moment and the slots next to it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...jumps),
        pattern,
        fc.integer({ min: -2 * dayMs, max: 2 * dayMs }),
        ([zone, at], { text }, shift) => {
          const cron = cronIn(text, zone);
          const t = Date.parse(at) + shift;
          const [last, next] = [cron.upTo(t)!, cron.after(t)!];
          expect(last <= t && next > t).toBe(true);
          expect([cron.after(last), cron.upTo(next - 1)]).toEqual([next, last]);
          expect([cron.upTo(last), cron.after(next - 1)]).toEqual([last, next]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
