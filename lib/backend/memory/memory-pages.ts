import { InvalidOptionError } from '../../task/errors.js';
import { sizeOf, type TaskRecord, type TaskState } from '../../task/task-record.js';
import { pageBytes, type PageRequest, type TaskPage } from '../catalog-store.js';
import type { MemoryLine, Place } from './memory-lines.js';

const byRemoval = ['removeAt', 'arrival'] as const;
/** What a cursor says of a place, by the order of the state's line. */
const said: Record<TaskState, readonly (keyof Place)[]> = {
  scheduled: ['dueAt', 'arrival'],
  waiting: ['priority', 'dueAt', 'arrival'],
  pending: ['arrival'],
  succeeded: byRemoval,
  dead: byRemoval,
  cancelled: byRemoval,
  parked: ['dueAt', 'arrival'],
};
const nowhere: Place = { priority: 0, dueAt: 0, leaseEndsAt: 0, removeAt: 0, arrival: 0 };

/** A page costs what is on it, and the way to its place, however many tasks stand in the line. */
export function pageOf(
  line: MemoryLine,
  state: TaskState,
  { limit, after, backwards }: PageRequest,
): TaskPage {
  const place = after === undefined ? undefined : placeIn(state, after);
  const found = line.read(limit + 1, { after: place, backwards });
  const tasks: TaskRecord[] = [];
  for (let bytes = 0; tasks.length < Math.min(limit, found.length) && bytes <= pageBytes;) {
    const record = found[tasks.length]!.record();
    tasks.push(record);
    bytes += sizeOf(record);
  }
  const last = found[tasks.length - 1];
  return { tasks, next: last && found.length > tasks.length ? cursorOf(state, last) : undefined };
}

/** The due time of the task that has been due longest: the first of each priority is the oldest of it. */
export function oldestDueAt(waiting: MemoryLine): number {
  let oldest = Infinity;
  for (let [first] = waiting.read(1); first;) {
    oldest = Math.min(oldest, first.dueAt);
    const after = { ...nowhere, priority: first.priority, dueAt: Infinity, arrival: Infinity };
    [first] = waiting.read(1, { after });
  }
  return oldest;
}

/** How many scheduled tasks are due. */
export function countDue(scheduled: MemoryLine, now: number): number {
  return scheduled.countUntil({ ...nowhere, dueAt: now, arrival: Infinity });
}

function cursorOf(state: TaskState, place: Place): string {
  return [state, ...said[state].map((field) => place[field])].join(':');
}

function placeIn(state: TaskState, cursor: string): Place {
  const [of, ...texts] = cursor.split(':');
  const numbers = texts.map(Number);
  const isWhole = of === state && numbers.length === said[state].length;
  // Read back it must be the same: there is no other text for a place.
  if (!isWhole || numbers.some((number, index) => Number.isNaN(number) || String(number) !== texts[index]))
    throw new InvalidOptionError('list', 'after', cursor, `what a page of ${state} tasks gave as next`);
  return { ...nowhere, ...Object.fromEntries(said[state].map((field, index) => [field, numbers[index]])) };
}
