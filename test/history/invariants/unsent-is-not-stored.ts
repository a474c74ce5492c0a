import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

/** Whoever is told that nothing left may try again without harm. */
export const unsentIsNotStored: Invariant = (history, complain) => {
  const asked = new Map<string, number>();
  const refused = new Set<string>();
  for (const event of history) {
    if (event.type === 'enqueue') asked.set(nameOf(event), (asked.get(nameOf(event)) ?? 0) + 1);
    if (event.type === 'refused' && !event.sent && asked.get(nameOf(event)) === 1) refused.add(nameOf(event));
  }
  for (const event of history)
    if (['stored', 'started', 'listed'].includes(event.type) && 'id' in event && refused.has(nameOf(event)))
      if (asked.get(nameOf(event)) === 1)
        complain(event, `task ${event.id} was refused as never sent, and is there`);
};
