import { nameOf } from '../../history/history-event.js';
import type { Invariant } from '../../history/violation.js';

/** No handler is called beyond the last attempt, and none twice for one claim. */
export const attemptsAreKept: Invariant = (history, complain) => {
  const retries = new Map<string, number>();
  const begun = new Set<string>();
  for (const event of history) {
    if (event.type === 'enqueue' && event.retries !== undefined) retries.set(nameOf(event), event.retries);
    if (event.type !== 'started') continue;
    const most = (retries.get(nameOf(event)) ?? Infinity) + 1;
    if (event.attempt > most) complain(event, `task ${event.id} runs as attempt ${event.attempt} of ${most}`);
    const run = `${nameOf(event)} ${event.epoch}`;
    if (begun.has(run)) complain(event, `task ${event.id}: epoch ${event.epoch} was begun twice`);
    begun.add(run);
  }
};
