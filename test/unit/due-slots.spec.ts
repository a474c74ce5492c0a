import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dueSteps, type Missed } from '../../lib/task/due-slots.js';
import { slotsOf, type SlotRule, type Slots } from '../../lib/task/slots.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const midnight = Date.parse('2026-01-01T00:00:00Z');

const hourly = slotsOf({ every: { ms: hour } }, midnight);
const at = (hours: number, extra = 0) => midnight + hours * hour + extra;

describe('A schedule that stands at a slot', () => {
  it('of the future takes no step', () => {
    expect(dueSteps(hourly, at(11), at(11) - 1, 'once')).toEqual([]);
  });

  it.each<Missed>(['once', 'skip', { all: 5 }])('that has just come fires it, with missed %j', (missed) => {
    for (const late of [0, 1, minute])
      expect(dueSteps(hourly, at(11), at(11, late), missed)).toEqual([
        { slot: at(11), fires: at(11), nextSlot: at(12), skipped: 0 },
      ]);
  });

  it('has missed it after a minute', () => {
    const now = at(11, minute + 1);
    expect(dueSteps(hourly, at(11), now, 'once')).toEqual([
      { slot: at(11), fires: at(11), nextSlot: at(12), skipped: 0 },
    ]);
    expect(dueSteps(hourly, at(11), now, 'skip')).toEqual([{ slot: at(11), nextSlot: at(12), skipped: 1 }]);
  });

  it.each(['skip', 'replace'] as const)('fires the latest alone where slots that overlap %s', (overlap) => {
    const now = at(15, 5 * second);
    expect(dueSteps(hourly, at(11), now, 'once', overlap)).toEqual([
      { slot: at(11), fires: at(15), nextSlot: at(16), skipped: 4 },
    ]);
    expect(dueSteps(hourly, at(11), now, { all: 2 }, overlap).map(({ fires }) => fires)).toEqual([
      at(13),
      at(14),
      at(15),
    ]);
  });

  it('has missed it when the next one has come, where that is less than a minute', () => {
    const slots = slotsOf({ every: { ms: 10 * second } }, midnight);
    const t = (seconds: number) => midnight + seconds * second;
    expect(dueSteps(slots, t(0), t(10), 'skip')).toEqual([
      { slot: t(0), fires: t(0), nextSlot: t(10), skipped: 0 },
      { slot: t(10), fires: t(10), nextSlot: t(20), skipped: 0 },
    ]);
    expect(dueSteps(slots, t(0), t(10) + 1, 'skip')).toEqual([
      { slot: t(0), fires: t(10), nextSlot: t(20), skipped: 1 },
    ]);
  });

  it('goes by the interval of its rule also for the last slot before the end', () => {
    const slots = slotsOf({ every: { ms: 10 * second }, for: { ms: 10 * second } }, midnight);
    expect(dueSteps(slots, midnight, midnight + 10 * second, 'skip')).toEqual([
      { slot: midnight, fires: midnight, nextSlot: undefined, skipped: 0 },
    ]);
    expect(dueSteps(slots, midnight, midnight + 10 * second + 1, 'skip')).toEqual([
      { slot: midnight, nextSlot: undefined, skipped: 1 },
    ]);
  });

  it('takes a minute for the interval where its rule has no further slot', () => {
    const once: Slots = {
      after: (t) => (t < midnight ? midnight : undefined),
      upTo: (t) => (t < midnight ? undefined : midnight),
      intervalAfter: () => undefined,
      count: (from, to) => (from <= midnight && midnight < to ? 1 : 0),
    };
    expect(dueSteps(once, midnight, midnight + minute, 'skip')[0]).toHaveProperty('fires', midnight);
    expect(dueSteps(once, midnight, midnight + minute + 1, 'skip')).toEqual([
      { slot: midnight, nextSlot: undefined, skipped: 1 },
    ]);
  });
});

describe('After four missed slots and one that has just come', () => {
  const now = at(15, 5 * second);
  const due = { slot: at(15), fires: at(15), nextSlot: at(16), skipped: 0 };

  it("'once' fires the latest missed one and the one that has come", () => {
    expect(dueSteps(hourly, at(11), now, 'once')).toEqual([
      { slot: at(11), fires: at(14), nextSlot: at(15), skipped: 3 },
      due,
    ]);
  });

  it("'skip' fires the one that has come", () => {
    expect(dueSteps(hourly, at(11), now, 'skip')).toEqual([{ ...due, slot: at(11), skipped: 4 }]);
  });

  it('{ all } fires the latest ones in their order, no more than were missed', () => {
    expect(dueSteps(hourly, at(11), now, { all: 2 })).toEqual([
      { slot: at(11), fires: at(13), nextSlot: at(14), skipped: 2 },
      { slot: at(14), fires: at(14), nextSlot: at(15), skipped: 0 },
      due,
    ]);
    for (const all of [4, 5, 1_000, Infinity])
      expect(dueSteps(hourly, at(11), now, { all }).map(({ fires }) => fires)).toEqual(
        [11, 12, 13, 14, 15].map((hours) => at(hours)),
      );
    for (const all of [0, -1, NaN, 0.5])
      expect(dueSteps(hourly, at(11), now, { all })).toEqual([{ ...due, slot: at(11), skipped: 4 }]);
  });

  it('a process that dies between two steps leaves the rest to the next one', () => {
    const [, ...rest] = dueSteps(hourly, at(11), now, { all: 3 });
    expect(dueSteps(hourly, rest[0]!.slot, now, { all: 3 })).toEqual(rest);
  });
});

describe('After a long downtime', () => {
  it('of ten years an every-second schedule catches up as cheaply as after a minute', () => {
    const slots = counted(slotsOf({ every: { ms: second } }, midnight));
    const seconds = (10 * 365 * day) / second;
    const now = midnight + seconds * second + 500;
    expect(dueSteps(slots, midnight, now, 'once')).toEqual([
      { slot: midnight, fires: now - 1_500, nextSlot: now - 500, skipped: seconds - 1 },
      { slot: now - 500, fires: now - 500, nextSlot: now + 500, skipped: 0 },
    ]);
    expect(dueSteps(slots, midnight, now, 'skip')).toEqual([
      { slot: midnight, fires: now - 500, nextSlot: now + 500, skipped: seconds },
    ]);
    expect(slots.calls()).toBeLessThan(30);
    expect(dueSteps(slots, midnight, now, { all: 1e9 })).toHaveLength(1_001);
    expect(slots.calls()).toBeLessThan(5_000);
  });

  it('a cron schedule catches up by looking back, and counts a thousand skipped slots at most', () => {
    const slots = counted(slotsOf({ cron: '* * * * * *', timeZone: 'Europe/Berlin' }, midnight));
    const now = midnight + 3_650 * day + 500;
    const [first, ...rest] = dueSteps(slots, midnight, now, 'once');
    expect(first).toEqual({ slot: midnight, fires: now - 1_500, nextSlot: now - 500, skipped: 1_000 });
    expect(rest).toHaveLength(1);
    expect(slots.calls()).toBeLessThan(30);
  });

  it('a schedule of months catches up with exact counts', () => {
    const slots = slotsOf({ every: { months: 1 } }, Date.parse('2026-01-31T00:00:00Z'));
    const [stands, now] = [Date.parse('2026-01-31T00:00:00Z'), Date.parse('2036-03-15T00:00:00Z')];
    expect(dueSteps(slots, stands, now, 'once')).toEqual([
      {
        slot: stands,
        fires: Date.parse('2036-02-29T00:00:00Z'),
        nextSlot: Date.parse('2036-03-31T00:00:00Z'),
        skipped: 121,
      },
    ]);
  });

  it('a schedule that has ended meanwhile fires for its last slots and ends', () => {
    const slots = slotsOf({ every: { ms: hour }, until: at(14) }, midnight);
    expect(dueSteps(slots, at(11), at(20), 'once')).toEqual([
      { slot: at(11), fires: at(13), nextSlot: undefined, skipped: 2 },
    ]);
    expect(dueSteps(slots, at(11), at(20), 'skip')).toEqual([
      { slot: at(11), nextSlot: undefined, skipped: 3 },
    ]);
  });
});

describe('A place that the rule, changed meanwhile, does not know', () => {
  it('counts as a slot itself', () => {
    const odd = at(11, 17 * minute);
    expect(dueSteps(hourly, odd, odd + 5, 'once')).toEqual([
      { slot: odd, fires: odd, nextSlot: at(12), skipped: 0 },
    ]);
    expect(dueSteps(hourly, odd, at(13, 5), { all: 9 }).map(({ fires }) => fires)).toEqual([
      odd,
      at(12),
      at(13),
    ]);
    expect(dueSteps(hourly, odd, at(13, 5), 'skip')).toEqual([
      { slot: odd, fires: at(13), nextSlot: at(14), skipped: 2 },
    ]);
  });

  it('may lie before the first slot or after the end', () => {
    const slots = slotsOf({ every: { ms: hour }, until: at(10) }, at(5));
    expect(dueSteps(slots, at(2), at(3), 'once')).toEqual([
      { slot: at(2), fires: at(2), nextSlot: at(5), skipped: 0 },
    ]);
    expect(dueSteps(slots, at(12), at(12), 'once')).toEqual([
      { slot: at(12), fires: at(12), nextSlot: undefined, skipped: 0 },
    ]);
  });
});

describe('The steps of any schedule', () => {
  const rules: SlotRule[] = [
    { every: { ms: 1 } },
    { every: { ms: 7 * second } },
    { every: { ms: hour }, for: { ms: 3 * day } },
    { every: { months: 1 } },
    { cron: '*/7 * * * * *', timeZone: 'UTC' },
    { cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
    { cron: '0 8 1 * *', timeZone: 'Europe/Berlin', until: midnight + 90 * day },
  ];
  const missed = fc.oneof(
    fc.constantFrom<Missed>('once', 'skip'),
    fc.integer({ min: 1, max: 20 }).map((all): Missed => ({ all })),
  );

  it('chain from where it stands to the first slot after now, fire in order and only what is due', () => {
    const moment = fc.nat({ max: 200 * day });
    const nearby = fc.oneof(fc.nat({ max: 3 * minute }), fc.nat({ max: 200 * day }));
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        missed,
        moment,
        nearby,
        fc.boolean(),
        (rule, how, from, late, isOdd) => {
          const slots = slotsOf(rule, midnight);
          const stands = isOdd ? midnight + from : slots.after(midnight + from);
          if (stands === undefined) return;
          const now = stands + late;
          const steps = dueSteps(slots, stands, now, how);
          const fired = steps.flatMap(({ fires }) => fires ?? []);
          expect(steps[0]!.slot).toBe(stands);
          expect(steps.slice(1).map(({ slot }) => slot)).toEqual(
            steps.slice(0, -1).map(({ nextSlot }) => nextSlot),
          );
          expect(steps.at(-1)!.nextSlot).toBe(slots.after(now));
          expect(fired).toEqual([...new Set(fired)].sort((a, b) => a - b));
          for (const slot of fired) expect(slot === stands || slots.upTo(slot) === slot).toBe(true);
          for (const slot of fired) expect(slot >= stands && slot <= now).toBe(true);
          // Every due slot is fired or counted as skipped.
          const all = 1 + slots.count(stands + 1, now + 1);
          const skipped = steps.reduce((sum, step) => sum + step.skipped, 0);
          if (all < 1_000) expect(fired.length + skipped).toBe(all);
          // Nothing is missed where all of them may be caught up.
          const wanted = how === 'once' ? 1 : how === 'skip' ? 0 : how.all;
          expect(fired.length).toBeGreaterThanOrEqual(Math.min(wanted, all));
          expect(fired.length).toBeLessThanOrEqual(wanted + 2);
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** The same slots, with a count of how often they were asked. */
function counted(slots: Slots): Slots & { calls(): number } {
  let calls = 0;
  const ask =
    <A extends unknown[], R>(question: (...given: A) => R) =>
    (...given: A): R => {
      calls++;
      return question(...given);
    };
  return {
    after: ask((t) => slots.after(t)),
    upTo: ask((t) => slots.upTo(t)),
    intervalAfter: ask((t) => slots.intervalAfter(t)),
    count: ask((from, to) => slots.count(from, to)),
    calls: () => calls,
  };
}
