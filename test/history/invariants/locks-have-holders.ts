import { SeenTasks, type SeenTask } from '../seen-tasks.js';
import type { Invariant } from '../violation.js';

/** A lock is held by a task that exists, has that key, and is in the phase in which it is held. */
export const locksHaveHolders: Invariant = (history, complain) => {
  const tasks = new SeenTasks();
  for (const event of history) {
    tasks.apply(event);
    if (event.type !== 'locks') continue;
    for (const { key, holder } of event.held) {
      const task = tasks.get({ queue: event.queue, id: holder });
      if (!task) complain(event, `lock ${key} is held by ${holder}, which does not exist`);
      else if (task.lock?.key !== key)
        complain(event, `lock ${key} is held by ${holder}, whose key it is not`);
      else if (!isInPhase(task))
        complain(event, `lock ${key} (${task.lock.phase}) is held by ${holder}, which is ${task.now}`);
    }
  }
};

function isInPhase({ now, lock, hasStarted }: SeenTask): boolean {
  switch (lock!.phase) {
    case 'until_executing':
      return !hasStarted && ['scheduled', 'waiting', 'parked'].includes(now);
    case 'while_executing':
      return now === 'pending';
    case 'until_executed':
    case 'until_completed':
      return ['scheduled', 'waiting', 'pending', 'parked'].includes(now);
  }
}
