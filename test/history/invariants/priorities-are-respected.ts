import { SeenTasks } from '../seen-tasks.js';
import type { Invariant } from '../violation.js';

/** What is claimed has no better one waiting in its queue. Parked tasks are taken past the line. */
export const prioritiesAreRespected: Invariant = (history, complain) => {
  const tasks = new SeenTasks();
  for (const event of history) {
    if (event.type === 'claimed' && !event.isUnparked && tasks.get(event))
      for (const other of tasks.all())
        if (other.queue === event.queue && other.now === 'waiting' && other.priority < event.priority)
          complain(
            event,
            `task ${event.id} (${event.priority}) is taken before ${other.id} (${other.priority})`,
          );
    tasks.apply(event);
  }
};
