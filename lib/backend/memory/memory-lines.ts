import type { TaskState } from '../../task/task-record.js';
import { Heap } from './heap.js';
import type { MemoryTask } from './memory-task.js';

const byDueTime = (a: MemoryTask, b: MemoryTask) =>
  a.dueAt !== b.dueAt ? a.dueAt < b.dueAt : a.arrival < b.arrival;
const byTurn = (a: MemoryTask, b: MemoryTask) =>
  a.priority !== b.priority ? a.priority < b.priority : byDueTime(a, b);
const byLease = (a: MemoryTask, b: MemoryTask) =>
  a.leaseEndsAt !== b.leaseEndsAt ? a.leaseEndsAt < b.leaseEndsAt : a.arrival < b.arrival;
const byRemoval = (a: MemoryTask, b: MemoryTask) =>
  a.removeAt !== b.removeAt ? a.removeAt! < b.removeAt! : a.arrival < b.arrival;

/** A line for each state, in the order in which it is worked off. A task stands in one of them. */
export function memoryLines(): Record<TaskState, Heap<MemoryTask>> {
  return {
    scheduled: new Heap(byDueTime),
    waiting: new Heap(byTurn),
    pending: new Heap(byLease),
    succeeded: new Heap(byRemoval),
    dead: new Heap(byRemoval),
    cancelled: new Heap(byRemoval),
    parked: new Heap(byDueTime),
  };
}
