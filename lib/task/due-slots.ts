import type { Overlap } from './schedule-record.js';
import type { Slots } from './slots.js';

/** What becomes of missed slots: the latest one fires, none does, or each of the latest n. */
export type Missed = 'once' | 'skip' | { readonly all: number };

/** One step of a schedule, written by compare-and-set from where it stands. */
export interface SlotStep {
  /** Where the schedule stands before the step. */
  readonly slot: number;
  /** The slot that gets a task; not there where the step only passes missed slots over. */
  readonly fires?: number;
  /** Where the schedule stands afterwards; undefined where it has ended. */
  readonly nextSlot: number | undefined;
  /** How many slots were passed over; those of a cron text are counted up to 1,000. */
  readonly skipped: number;
}

const graceMs = 60_000;
const mostCaughtUp = 1_000;

/**
 * The steps of a schedule that stands at `nextSlot`, up to the first slot after `now`. Each makes one task at most and
 * begins where the one before it ends, so a process that dies between two of them loses no slot and repeats none.
 *
 * It looks back from now, since there is no end to how many slots a long downtime passes over. Where the schedule stands
 * counts as a slot even if its rule, changed meanwhile, says otherwise.
 */
export function dueSteps(
  slots: Slots,
  nextSlot: number,
  now: number,
  missed: Missed,
  overlap: Overlap = 'queue',
): SlotStep[] {
  if (nextSlot > now) return [];
  const all = firingSlots(slots, nextSlot, now, missed);
  // Of several at once the first would only keep the others from firing, or be replaced by them.
  const firing = typeof missed === 'string' && overlap !== 'queue' ? all.slice(-1) : all;
  const end = slots.after(now);
  if (firing.length === 0)
    return [{ slot: nextSlot, nextSlot: end, skipped: countDue(slots, nextSlot, now + 1) }];
  return firing.map((fires, index) => ({
    slot: index === 0 ? nextSlot : fires,
    fires,
    nextSlot: index === firing.length - 1 ? end : firing[index + 1],
    skipped: index === 0 ? countDue(slots, nextSlot, fires) : 0,
  }));
}

/** The due slots that get a task, the earliest first. */
function firingSlots(slots: Slots, nextSlot: number, now: number, missed: Missed): number[] {
  const firing: number[] = [];
  let left = missed === 'once' ? 1 : missed === 'skip' ? 0 : Math.min(missed.all, mostCaughtUp);
  for (
    let slot = lastDue(slots, nextSlot, now);
    slot !== undefined;
    slot = lastDue(slots, nextSlot, slot - 1)
  ) {
    if (isMissed(slots, slot, now) && !(left-- >= 1)) break;
    firing.push(slot);
  }
  return firing.toReversed();
}

/** The last slot up to a moment that the schedule has not passed yet. */
function lastDue(slots: Slots, nextSlot: number, upTo: number): number | undefined {
  if (upTo < nextSlot) return undefined;
  return Math.max(slots.upTo(upTo) ?? nextSlot, nextSlot);
}

/** A slot is missed when it is later than a minute, or than the slot after it. */
function isMissed(slots: Slots, slot: number, now: number): boolean {
  return now - slot > Math.min(graceMs, slots.intervalAfter(slot) ?? graceMs);
}

/** The slots from where the schedule stands to a moment, that place among them. */
function countDue(slots: Slots, nextSlot: number, before: number): number {
  if (nextSlot >= before) return 0;
  const isOwn = slots.upTo(nextSlot) === nextSlot;
  return slots.count(nextSlot, before) + (isOwn ? 0 : 1);
}
