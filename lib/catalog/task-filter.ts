import { InvalidOptionError } from '../task/errors.js';
import type { TaskRecord, TaskState } from '../task/task-record.js';
import { checkKeys } from '../task/check-keys.js';
import { errorGroupOf } from './error-group.js';
import { soughtText, type SoughtText } from './sought-text.js';

/** Which tasks are meant. What is left out leaves nothing out. */
export interface TaskFilter {
  readonly queue?: string | readonly string[];
  /** Several are gone through in the order given. */
  readonly state?: TaskState | readonly TaskState[];
  /** By its stored name. */
  readonly job?: string | readonly string[];
  /** From this moment on: when the task ended, else when it is due. */
  readonly from?: Date | number;
  /** Before this moment. */
  readonly to?: Date | number;
  /** Somewhere in its id, job, params, errors or reason, in capital letters or not. */
  readonly text?: string;
  /** The `error` of a group of `failures`: its latest error is one of that group. */
  readonly error?: string;
}

/** In this order they are gone through: what happens now, what comes, what ended. */
export const taskStates: readonly TaskState[] = [
  'pending',
  'waiting',
  'scheduled',
  'parked',
  'dead',
  'cancelled',
  'succeeded',
];

/** A filter as it is used. */
export interface TaskQuery {
  /** Sorted; absent: every queue. */
  readonly queues?: readonly string[];
  readonly states: readonly TaskState[];
  /** Absent where queue and state say all: the index then answers. */
  readonly wants?: (task: TaskRecord) => boolean;
  /** An id may be given as text: such a task is looked up. */
  readonly text?: string;
  /** The same text for the same filter. */
  readonly question: unknown;
}

const keys = ['queue', 'state', 'job', 'from', 'to', 'text', 'error'] satisfies (keyof TaskFilter)[];
const longestText = 1_000;

/** Checks a filter, and makes it ready for use. */
export function readFilter(call: string, filter: TaskFilter): TaskQuery {
  checkKeys(filter, keys, call, 'filter');
  const queues = textsOf(call, 'queue', filter.queue);
  const states = statesOf(call, filter.state);
  const jobs = textsOf(call, 'job', filter.job);
  const from = momentOf(call, 'from', filter.from) ?? -Infinity;
  const to = momentOf(call, 'to', filter.to) ?? Infinity;
  const text = textOf(call, 'text', filter.text)?.toLowerCase();
  const sought = text === undefined ? undefined : soughtText(text);
  const error = textOf(call, 'error', filter.error);
  const tests: ((task: TaskRecord) => boolean)[] = [];
  if (jobs) tests.push(({ job }) => jobs.includes(job));
  if (from > -Infinity || to < Infinity) tests.push((task) => momentIn(task) >= from && momentIn(task) < to);
  if (error !== undefined) tests.push((task) => errorGroupOf(task) === error);
  if (sought) tests.push((task) => holds(task, sought));
  return {
    queues: queues?.toSorted(),
    states,
    wants: tests.length === 0 ? undefined : (task) => tests.every((test) => test(task)),
    text: filter.text,
    question: { queues, states, jobs, from: String(from), to: String(to), text, error },
  };
}

/** When a task ended, else when it is due. */
function momentIn({ finishedAt, dueAt }: TaskRecord): number {
  return finishedAt ?? dueAt;
}

function holds({ id, job, params, reason, errors }: TaskRecord, { isIn, isInJson }: SoughtText): boolean {
  return (
    isIn(id) ||
    isIn(job) ||
    isIn(reason) ||
    isInJson(params) ||
    errors.some(({ name, message }) => isIn(`${name}: ${message}`))
  );
}

function statesOf(call: string, state: TaskFilter['state']): readonly TaskState[] {
  if (state === undefined) return taskStates;
  const states = textsOf(call, 'state', state) as readonly TaskState[];
  const unknown = states.find((one) => !taskStates.includes(one));
  if (unknown !== undefined) throw new InvalidOptionError(call, 'state', unknown, taskStates.join(', '));
  return states;
}

function textsOf(call: string, option: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' || text === ''))
    throw new InvalidOptionError(call, option, value, 'a text, or a list of texts of at least one');
  return [...new Set(texts as string[])];
}

function textOf(call: string, option: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > longestText)
    throw new InvalidOptionError(call, option, value, `a text of 1 to ${longestText} characters`);
  return value;
}

/** A moment in milliseconds, however it was given. */
export function momentOf(call: string, option: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const at = value instanceof Date ? value.getTime() : value;
  if (typeof at !== 'number' || Number.isNaN(at))
    throw new InvalidOptionError(call, option, value, 'a Date or milliseconds since 1970');
  return at;
}
