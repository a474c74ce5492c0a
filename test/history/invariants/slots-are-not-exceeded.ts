import { nameOf } from '../history-event.js';
import type { Invariant } from '../violation.js';

/** Attempts that are begun and have no end yet take a slot each, and a process has so many. */
export const slotsAreNotExceeded: Invariant = (history, complain) => {
  const slots = new Map<string, number>();
  const taken = new Map<string, Set<string>>();
  for (const event of history) {
    if (event.type === 'up') slots.set(event.process, event.concurrency);
    if (event.type === 'started') {
      const runs = taken.get(event.process) ?? new Set<string>();
      taken.set(event.process, runs.add(`${nameOf(event)} ${event.epoch}`));
      const most = slots.get(event.process) ?? Infinity;
      if (runs.size > most) complain(event, `${event.process} runs ${runs.size} tasks, with ${most} slots`);
    }
    if (event.type === 'ended' || event.type === 'offered')
      taken.get(event.process)?.delete(`${nameOf(event)} ${event.epoch}`);
  }
};
