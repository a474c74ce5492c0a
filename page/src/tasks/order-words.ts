import { apiBounds, type QueueRow, type TaskState } from '../../../lib/dashboard/api.js';
import type { TaskView } from './task-view.js';

/** How a list of tasks is ordered: as it is, not as one would wish. */
export function orderWords(view: TaskView, queues: readonly QueueRow[]): string {
  const { state, isOldestFirst } = view;
  const order =
    state.join() === 'waiting'
      ? isOldestFirst
        ? 'Next to run first'
        : 'Last to run first'
      : isOldestFirst
        ? 'Oldest first'
        : 'Latest first';
  const within = [
    state.length !== 1 && 'state by state',
    !isMerged(state, view.queue, queues) && `${apiBounds.queuesMerged} queues at a time`,
  ];
  return [order, ...within].filter(Boolean).join(', ');
}

/** Whether the tasks of all these queues stand in one order. */
export function isMerged(
  states: readonly TaskState[],
  chosen: readonly string[],
  queues: readonly QueueRow[],
): boolean {
  const meant = queues.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  const holding = (state: TaskState) => meant.filter(({ counts }) => counts[state] > 0).length;
  const all = states.length > 0 ? states : (Object.keys(meant[0]?.counts ?? {}) as TaskState[]);
  return all.every((state) => holding(state) <= apiBounds.queuesMerged);
}
