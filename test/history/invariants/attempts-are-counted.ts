import { nameOf } from '../history-event.js';
import { SeenTasks } from '../seen-tasks.js';
import type { Invariant } from '../violation.js';

/** A claim counts the attempt, what is given back does not, and no handler is called beyond the last one. */
export const attemptsAreCounted: Invariant = (history, complain) => {
  const tasks = new SeenTasks();
  const failed = new Map<string, number>();
  for (const event of history) {
    const task = 'id' in event ? tasks.get(event) : undefined;
    if (event.type === 'stored') failed.delete(nameOf(event));
    if (task && event.type === 'claimed' && event.attempt !== task.attempt + 1)
      complain(event, `task ${event.id} is claimed as attempt ${event.attempt} after ${task.attempt}`);
    if (task && event.type === 'started' && event.attempt > task.retries + 1)
      complain(event, `task ${event.id} runs as attempt ${event.attempt} of ${task.retries + 1}`);
    if (task && ((event.type === 'settled' && event.outcome === 'retry') || event.type === 'lease-ended')) {
      const times = (failed.get(nameOf(event)) ?? 0) + (task.isInConflict ? 0 : 1);
      failed.set(nameOf(event), times);
      if (times > task.retries + 1)
        complain(event, `task ${event.id} has failed ${times} times, with ${task.retries} retries`);
    }
    tasks.apply(event);
  }
};
