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

/** Pending tasks in order of arrival, which no renewal changes. */
export function byArrival(pending: MemoryLine): MemoryLine {
  const line: MemoryLine = new OrderedLine((a, b) => a.arrival < b.arrival);
  for (const task of pending.read(Infinity)) line.add(task);
  return line;
}

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

/** No call moves more than this many tasks of one kind, as on the stores where others wait meanwhile. */
export const movesPerCall = 1_000;

/** Acts on the first of a line as long as that moves it away; false: it stays, and so do those behind it. */
export function each(line: MemoryLine, act: (task: MemoryTask) => unknown, most = movesPerCall): void {
  for (let moves = 0; moves < most; moves++) {
    const task = line.peek();
    if (!task || act(task) === false) return;
  }
}
