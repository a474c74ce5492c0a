import type { TaskState } from '../../task/task-record.js';
import type { MemoryTask } from './memory-task.js';
import { OrderedLine } from './ordered-line.js';

/** What the order of a line depends on: a task has its place in it, and so may a place have where no task is. */
export type Place = Pick<MemoryTask, 'priority' | 'dueAt' | 'leaseEndsAt' | 'removeAt' | 'arrival'>;

export type MemoryLine = OrderedLine<Place, MemoryTask>;

const byDueTime = (a: Place, b: Place) => (a.dueAt !== b.dueAt ? a.dueAt < b.dueAt : a.arrival < b.arrival);
const byTurn = (a: Place, b: Place) =>
  a.priority !== b.priority ? a.priority < b.priority : byDueTime(a, b);
const byLease = (a: Place, b: Place) =>
  a.leaseEndsAt !== b.leaseEndsAt ? a.leaseEndsAt < b.leaseEndsAt : a.arrival < b.arrival;
const byRemoval = (a: Place, b: Place) =>
  a.removeAt !== b.removeAt ? a.removeAt! < b.removeAt! : a.arrival < b.arrival;

/** A line for each state, in the order in which it is worked off. A task stands in one of them. */
export function memoryLines(): Record<TaskState, MemoryLine> {
  return {
    scheduled: new OrderedLine(byDueTime),
    waiting: new OrderedLine(byTurn),
    pending: new OrderedLine(byLease),
    succeeded: new OrderedLine(byRemoval),
    dead: new OrderedLine(byRemoval),
    cancelled: new OrderedLine(byRemoval),
    parked: new OrderedLine(byDueTime),
  };
}
