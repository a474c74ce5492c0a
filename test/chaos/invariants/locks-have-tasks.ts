import { nameOf } from '../../history/history-event.js';
import { isLive } from '../../history/seen-tasks.js';
import type { Invariant } from '../../history/violation.js';

/** Every lock that is held when all is over belongs to a task that is there and is not over. */
export const locksHaveTasks: Invariant = (history, complain) => {
  const listed = new Map<string, string>();
  for (const event of history) if (event.type === 'listed') listed.set(nameOf(event), event.state);
  for (const event of history) {
    if (event.type !== 'locks') continue;
    for (const { key, holder } of event.held) {
      const state = listed.get(nameOf({ queue: event.queue, id: holder })) ?? 'nowhere';
      if (!isLive(state) && state !== 'parked')
        complain(event, `lock ${key} is held by ${holder}, which is ${state}`);
    }
  }
};
