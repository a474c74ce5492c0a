import { nameOf } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** Clocks are read in whole milliseconds, and the store's may be a moment apart from the shared one. */
const readingMs = 3;

/** No run begins before its task is due, whatever the clock of its producer or of its worker says, nor a slot before its time. */
export const nothingIsEarly: Invariant = (history, complain) => {
  const dueAt = new Map<string, number>();
  for (const event of history) {
    if (event.type === 'enqueue' && event.inMs !== undefined) dueAt.set(nameOf(event), event.at + event.inMs);
    if (event.type === 'started') {
      const earlyMs = (dueAt.get(nameOf(event)) ?? -Infinity) - event.at;
      if (earlyMs > readingMs)
        complain(event, `task ${event.id} ran ${Math.round(earlyMs)} ms before it was due`);
    }
    if (event.type === 'schedule' && event.lastSlot !== undefined && event.wallAt !== undefined)
      if (event.lastSlot > event.wallAt + readingMs)
        complain(
          event,
          `schedule ${event.id} fired a slot ${event.lastSlot - event.wallAt} ms before its time`,
        );
  }
};
