import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';
import { joined, lengthOf, stretchesOf } from '../stretches.js';

/** The one that was under way when a stretch began, and the one when it ended. */
const besides = 2;

/**
 * Slots are passed over only where nobody could fire them, since no worker was there or one stood still or was cut off, and
 * while the task of an earlier slot was not over, or the store refused whatever was new.
 */
export const slotsAreNotSkipped: Invariant = (history, complain) => {
  const blindMs = lengthOf(
    joined([
      ...stretchesOf(history, ['cut-off', 'stalled', 'machine-stalled']),
      ...emptyOf(history),
      ...overlapsOf(history),
      ...refusalsOf(history),
    ]),
  );
  for (const event of history) {
    if (event.type !== 'schedule') continue;
    const most = Math.ceil(blindMs / event.everyMs) + besides;
    if (event.skipped > most)
      complain(event, `schedule ${event.id} passed over ${event.skipped} slots, at most ${most} had nobody`);
  }
};

/** Whoever was refused tries again after a pause of up to a second. */
const pauseMs = 1_500;

/** While the store took nothing new, a slot could not be fired, either. */
function refusalsOf(history: readonly HistoryEvent[]): { from: number; to: number }[] {
  return history.flatMap(({ type, at }) => (type === 'refused' ? [{ from: at, to: at + pauseMs }] : []));
}

/** From each slot until its task was over. */
function overlapsOf(history: readonly HistoryEvent[]): { from: number; to: number }[] {
  const healed = history.find((event) => event.type === 'healed');
  if (healed?.wallAt === undefined) return [];
  const aheadMs = healed.at - healed.wallAt;
  const slots = new Map<string, { from: number; to: number }>();
  for (const event of history) {
    if (event.type === 'started' && event.slot !== undefined)
      slots.set(nameOf(event), { from: event.slot + aheadMs, to: event.at });
    const slot = event.type === 'settled' ? slots.get(nameOf(event)) : undefined;
    if (slot) slot.to = event.at;
  }
  return [...slots.values()];
}

/** While no worker is there. */
function emptyOf(history: readonly HistoryEvent[]): { from: number; to: number }[] {
  const alive = new Set<string>();
  const found: { from: number; to: number }[] = [];
  let emptySince: number | undefined;
  for (const event of history) {
    if (event.type === 'up') {
      if (emptySince !== undefined) found.push({ from: emptySince, to: event.at });
      emptySince = undefined;
      alive.add(event.process);
    }
    const isGone = event.type === 'died' || event.type === 'exited' || event.type === 'stopping';
    if (!isGone || !alive.delete(event.process) || alive.size > 0) continue;
    emptySince = event.at;
  }
  return found;
}
