import { InvalidOptionError } from '../task/errors.js';
import type { TaskEvent, TaskEventType } from '../task/task-event.js';

/** Something that happened to a task, and the process in which it did. */
export type JobEvent = TaskEvent & {
  /** The name of the process: host, process id and a few random letters. */
  readonly origin: string;
};

/** The event of one type, or of several. */
export type JobEventOf<T extends TaskEventType> = Extract<JobEvent, { readonly type: T }>;

const known: Record<TaskEventType, true> = {
  enqueued: true,
  started: true,
  succeeded: true,
  failed: true,
  dead: true,
  cancelled: true,
  snoozed: true,
  rescheduled: true,
  parked: true,
  'handed-back': true,
  lost: true,
};

export const eventTypes = Object.keys(known) as readonly TaskEventType[];

export function isEventType(type: unknown): type is TaskEventType {
  return typeof type === 'string' && Object.hasOwn(known, type);
}

/** Stops at a type that there is not: nobody would ever be told. */
export function checkEventTypes(types: readonly unknown[], where: string): void {
  const expected = `one or several of ${eventTypes.join(', ')}`;
  if (types.length === 0) throw new InvalidOptionError(where, 'type', undefined, expected);
  for (const type of types)
    if (!isEventType(type)) throw new InvalidOptionError(where, 'type', type, expected);
}
