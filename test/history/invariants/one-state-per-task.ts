import { nameOf } from '../history-event.js';
import { SeenTasks } from '../seen-tasks.js';
import type { Invariant } from '../violation.js';

/** From where a step may lead to a state. */
const before: Record<string, readonly string[]> = {
  scheduled: ['pending', 'scheduled'],
  waiting: ['scheduled', 'pending', 'parked', 'waiting'],
  pending: ['waiting', 'scheduled', 'parked', 'pending'],
  parked: ['pending'],
  succeeded: ['pending', 'waiting', 'dead'],
  dead: ['pending'],
  cancelled: ['scheduled', 'waiting', 'pending', 'parked'],
  gone: ['scheduled', 'waiting', 'pending', 'parked', 'succeeded', 'dead', 'cancelled'],
};

/** A task stands in one place at the end, which is the one that the history leads to, by steps that there are. */
export const oneStatePerTask: Invariant = (history, complain) => {
  const tasks = new SeenTasks();
  const listed = new Map<string, string>();
  for (const event of history) {
    const task = 'id' in event ? tasks.get(event) : undefined;
    const to = event.type === 'claimed' ? 'pending' : 'state' in event ? event.state : undefined;
    const isStep = ['claimed', 'settled', 'taken-back', 'moved'].includes(event.type);
    if (isStep && task && !before[to!]!.includes(task.now))
      complain(event, `task ${task.id} went from ${task.now} to ${to}`);
    tasks.apply(event);
    if (event.type !== 'listed') continue;
    const name = nameOf(event);
    const other = listed.get(name);
    if (other !== undefined) complain(event, `task ${event.id} is ${other} and ${event.state} at once`);
    listed.set(name, event.state);
    if (task && task.now !== event.state)
      complain(event, `task ${event.id} is ${event.state}, though it was last seen ${task.now}`);
  }
  if (listed.size === 0) return;
  for (const task of tasks.all())
    if (task.now !== 'gone' && !listed.has(nameOf(task)))
      complain(undefined, `task ${task.id} was last seen ${task.now}, and is in no state`);
};
