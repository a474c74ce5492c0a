import { nameOf, type HistoryEvent } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** A task that the store has given to somebody is to be found when all is over, whether or not its producer heard of it. */
export const nothingVanishes: Invariant = (history, complain) => {
  // Where nobody has looked, nothing is known.
  if (!history.some(({ type }) => type === 'counted')) return;
  const listed = new Set<string>();
  const acknowledged = new Set<string>();
  const known = new Map<string, HistoryEvent & { id: string }>();
  for (const event of history) {
    if (event.type === 'listed') listed.add(nameOf(event));
    if (event.type === 'acknowledged') acknowledged.add(nameOf(event));
    if (event.type === 'claimed' || event.type === 'settled') known.set(nameOf(event), event);
  }
  for (const [name, event] of known)
    // Of those that were acknowledged another rule tells.
    if (!listed.has(name) && !acknowledged.has(name))
      complain(event, `task ${event.id} was ${event.type}, and is nowhere`);
};
