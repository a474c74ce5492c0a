import { nameOf } from '../history-event.js';
import { isOver } from '../seen-tasks.js';
import type { Invariant } from '../violation.js';

const ends = new Set(['succeeded', 'dead', 'cancelled']);

/** What was acknowledged came to an end after it was asked for, or is still to be found. */
export const acknowledgedIsKept: Invariant = (history, complain) => {
  const seenAt = new Map<string, number>();
  history.forEach((event, index) => {
    const isEnd =
      event.type === 'listed' ||
      (event.type === 'moved' && isOver(event.state)) ||
      (event.type === 'settled' && ends.has(event.outcome));
    if (isEnd) seenAt.set(nameOf(event), index);
  });
  // Asked first, acknowledged later: in between the task may have ended already.
  const asked = new Map<string, number>();
  history.forEach((event, index) => {
    if (event.type === 'enqueue') asked.set(nameOf(event), index);
    if (event.type !== 'acknowledged' || !['enqueued', 'replaced'].includes(event.status)) return;
    const id = event.holder ?? event.id;
    const seen = seenAt.get(nameOf({ queue: event.queue, id }));
    if (seen === undefined || seen < (asked.get(nameOf(event)) ?? index))
      complain(event, `task ${id} was acknowledged as ${event.status}, and is nowhere`);
  });
};
