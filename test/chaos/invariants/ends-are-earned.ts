import { nameOf } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** The only job of a round that cannot succeed. */
const deadly = 'Poison';

/** What is listed as succeeded was done by a run; only what kills each of its processes is dead, and nothing is cancelled. */
export const endsAreEarned: Invariant = (history, complain) => {
  const done = new Set<string>();
  for (const event of history) if (event.type === 'effect') done.add(nameOf(event));
  for (const event of history) {
    if (event.type !== 'listed') continue;
    const { id, job, state } = event;
    if (state === 'succeeded' && !done.has(nameOf(event)))
      complain(event, `task ${id} has succeeded, though no run of it has done anything`);
    if (state === 'succeeded' && job === deadly)
      complain(event, `task ${id} has succeeded, though each of its runs ends its process`);
    if (state === 'dead' && job !== deadly) complain(event, `task ${id} is dead, though it could succeed`);
    if (state === 'cancelled') complain(event, `task ${id} is cancelled, and nobody has asked for that`);
  }
};
