import { cronIn } from './cron.js';
import type { CronSlots } from './cron-slots.js';
import { spanMs, type Span } from './duration.js';
import { InvalidOptionError } from './errors.js';
import { SlotGrid } from './slot-grid.js';

/** When the slots of a schedule are. */
export type SlotRule = ({ readonly every: Span } | { readonly cron: string; readonly timeZone: string }) & {
  /** The schedule ends this long after its first slot. A slot at the end is none. */
  readonly for?: Span;
  /** The schedule ends at this moment. A slot at the end is none. */
  readonly until?: number;
};

/** The slots of a schedule, from its first to its end. */
export interface Slots {
  /** The first slot after a moment. */
  after(t: number): number | undefined;
  /** The last slot at or before a moment. */
  upTo(t: number): number | undefined;
  /** From a moment to the next slot of the rule, also where the schedule ends before it. */
  intervalAfter(t: number): number | undefined;
  /** How many slots there are from `from` on and before `to`; those of a cron text are counted up to 1,000. */
  count(from: number, to: number): number;
}

type CronRule = Extract<SlotRule, { cron: string }>;
type EndlessSlots = Omit<Slots, 'intervalAfter'>;

const mostCounted = 1_000;

export function slotsOf(rule: SlotRule, firstSlot: number): Slots {
  const first = Math.round(firstSlot);
  const endless = 'every' in rule ? gridOf(rule.every, first) : new CronFrom(cronOf(rule), first);
  return new SlotsUntil(endless, endOf(rule, first));
}

/** The first slot of a rule that is stored at `now`: 'now' where the store's own moment is meant. */
export function firstSlotOf(
  rule: SlotRule,
  from: number | undefined,
  now: number,
): number | 'now' | undefined {
  const first = 'every' in rule ? Math.ceil(from ?? now) : firstMatch(rule, from, now);
  if (first === undefined || !(first < endOf(rule, first))) return undefined;
  // All its slots have passed: it is over.
  if (first < now && slotsOf(rule, first).after(now - 1) === undefined) return undefined;
  return 'every' in rule && from === undefined ? 'now' : first;
}

/** Where a schedule stands: its next slot, and the slot at which its rule began where that is another. */
export interface Place {
  readonly nextSlot: number | 'now';
  readonly firstSlot?: number;
}

/**
 * Where a schedule goes on whose rule is replaced at `now`, its last slot being `lastSlot`; undefined where it has ended. No slot
 * that has passed comes again: with `from`, the grid is that of `from`; a cron goes on by the clock. A span without `from` counts
 * from the moment of its change, or, where `sinceLast` says so, from the last slot.
 */
export function placeAfterChange(
  rule: SlotRule,
  from: number | undefined,
  lastSlot: number | undefined,
  now: number,
  sinceLast: boolean,
): Place | undefined {
  if ('every' in rule && from === undefined) {
    const next = lastSlot === undefined || !sinceLast ? now : lastSlot + spanMs(rule.every, lastSlot);
    if (next <= now) return placeOf(firstSlotOf(rule, undefined, now));
    return next < endOf(rule, next) ? { nextSlot: next } : undefined;
  }
  const first = firstSlotOf(rule, from, now);
  if (typeof first !== 'number' || lastSlot === undefined || first > lastSlot) return placeOf(first);
  const nextSlot = slotsOf(rule, first).after(lastSlot);
  return nextSlot === undefined ? undefined : { nextSlot, firstSlot: first };
}

function placeOf(slot: number | 'now' | undefined): Place | undefined {
  return slot === undefined ? undefined : { nextSlot: slot };
}

function firstMatch(rule: CronRule, from: number | undefined, now: number): number | undefined {
  return cronOf(rule).after(from === undefined ? now : Math.ceil(from) - 1);
}

function cronOf({ cron, timeZone }: CronRule): CronSlots {
  return cronIn(cron, timeZone);
}

function gridOf(every: Span, first: number): SlotGrid {
  // Such a rule is refused where it is written; a store that holds one must not be flooded by it.
  if (!(('ms' in every ? every.ms : every.months) >= 1))
    throw new InvalidOptionError('a schedule', 'every', every, 'a span of more than zero');
  return new SlotGrid(every, first);
}

function endOf(rule: SlotRule, first: number): number {
  const forEnd = rule.for ? first + spanMs(rule.for, first) : Infinity;
  return Math.ceil(Math.min(forEnd, rule.until ?? Infinity));
}

/** The matches of a cron text from a first one on. */
class CronFrom implements EndlessSlots {
  constructor(
    private readonly cron: CronSlots,
    private readonly first: number,
  ) {}

  after(t: number): number | undefined {
    return this.cron.after(Math.max(t, this.first - 1));
  }

  upTo(t: number): number | undefined {
    const slot = this.cron.upTo(t);
    return slot !== undefined && slot >= this.first ? slot : undefined;
  }

  count(from: number, to: number): number {
    let counted = 0;
    let slot = this.after(from - 1);
    for (; slot !== undefined && slot < to && counted < mostCounted; slot = this.after(slot)) counted++;
    return counted;
  }
}

class SlotsUntil implements Slots {
  constructor(
    private readonly endless: EndlessSlots,
    private readonly end: number,
  ) {}

  after(t: number): number | undefined {
    const slot = this.endless.after(t);
    return slot !== undefined && slot < this.end ? slot : undefined;
  }

  upTo(t: number): number | undefined {
    return this.endless.upTo(Math.min(t, this.end - 1));
  }

  intervalAfter(t: number): number | undefined {
    const slot = this.endless.after(t);
    return slot === undefined ? undefined : slot - t;
  }

  count(from: number, to: number): number {
    return this.endless.count(from, Math.min(to, this.end));
  }
}
