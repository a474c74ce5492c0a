import { nameOf } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** Everything is kept for longer than a round takes: what was acknowledged is to be found when all is over. */
export const acknowledgedIsListed: Invariant = (history, complain) => {
  const listed = new Set(history.flatMap((event) => (event.type === 'listed' ? [nameOf(event)] : [])));
  for (const event of history) {
    if (event.type !== 'acknowledged' || !['enqueued', 'replaced'].includes(event.status)) continue;
    const id = event.holder ?? event.id;
    if (!listed.has(nameOf({ queue: event.queue, id })))
      complain(event, `task ${id} was acknowledged as ${event.status}, and is nowhere`);
  }
};
