import { nameOf } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** Only what was spoilt is parked when all is over, and what was spoilt is parked. */
export const parkedIsUnreadable: Invariant = (history, complain) => {
  const spoilt = new Set<string>();
  for (const event of history) {
    if (event.type === 'spoilt') spoilt.add(nameOf(event));
    if (event.type !== 'listed') continue;
    const isSpoilt = spoilt.has(nameOf(event));
    if (event.state === 'parked' && !isSpoilt)
      complain(event, `task ${event.id} is parked, though all know it`);
    if (event.state === 'parked') spoilt.delete(nameOf(event));
    else if (isSpoilt) complain(event, `task ${event.id} is ${event.state}, though nobody could read it`);
  }
};
