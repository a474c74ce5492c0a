import { apiBounds, type TaskFilter, type TaskState } from '../../../lib/dashboard/api.js';
import type { Query } from '../core/query.js';
import { hrefOf } from '../core/route.js';
import { states } from '../core/state-words.js';
import { clockWords, spanWords } from '../core/words.js';

const hourMs = 3_600_000;

/** The last … */
export const timeSpans = [
  { ms: hourMs / 4, words: '15 minutes' },
  { ms: hourMs, words: 'hour' },
  { ms: hourMs * 24, words: '24 hours' },
  { ms: hourMs * 24 * 7, words: '7 days' },
];

/** Which tasks are on view: what the address holds. */
export interface TaskView {
  readonly state: readonly TaskState[];
  readonly queue: readonly string[];
  readonly job: readonly string[];
  /** The last so many milliseconds, counted when it is asked. */
  readonly sinceMs?: number;
  readonly from?: number;
  readonly to?: number;
  readonly text: string;
  readonly error: string;
  /** The first to come, or to have ended, on top. */
  readonly isOldestFirst: boolean;
}

export function readTaskView(query: URLSearchParams): TaskView {
  return {
    state: states.filter((state) => query.getAll('state').includes(state)),
    queue: query.getAll('queue').filter(Boolean),
    job: query.getAll('job').filter(Boolean),
    sinceMs: numberIn(query, 'since'),
    from: numberIn(query, 'from'),
    to: numberIn(query, 'to'),
    text: (query.get('text') ?? '').slice(0, apiBounds.textLength),
    error: query.get('error') ?? '',
    isOldestFirst: query.get('order') === 'oldest',
  };
}

export function taskViewQuery({ sinceMs, isOldestFirst, ...view }: TaskView): Query {
  return { ...view, since: sinceMs, order: isOldestFirst ? 'oldest' : undefined };
}

export function hrefOfTasks(view: Partial<TaskView>): string {
  return hrefOf('tasks', taskViewQuery({ ...readTaskView(new URLSearchParams()), ...view }));
}

/** As the server takes it. `now` is its time. */
export function filterOf(view: TaskView, now: number): TaskFilter {
  const { state, queue, job, sinceMs, from, to, text, error } = view;
  return {
    ...(state.length > 0 && { state }),
    ...(queue.length > 0 && { queue }),
    ...(job.length > 0 && { job }),
    ...(text && { text }),
    ...(error && { error }),
    ...(sinceMs === undefined ? { from, to } : { from: now - sinceMs }),
  };
}

/** What they are, as it stands in a sentence. */
export function matchWords(view: TaskView): string {
  const { state, queue, job, text, error } = view;
  return [
    `${state.join(' or ')} tasks`.trim(),
    job.length > 0 && `of ${job.join(' or ')}`,
    queue.length > 0 && `in ${queue.join(' or ')}`,
    text && `with “${text}”`,
    error && `that ended with “${error}”`,
    timeWords(view),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Of which time they are, as it stands in a sentence; empty where of any. */
function timeWords({ sinceMs, from, to }: TaskView): string {
  if (sinceMs !== undefined)
    return `of the last ${timeSpans.find(({ ms }) => ms === sinceMs)?.words ?? spanWords(sinceMs)}`;
  const now = Date.now();
  const [begin, end] = [from && `from ${clockWords(from, now)}`, to && `to ${clockWords(to, now)}`];
  return [begin, end].filter(Boolean).join(' ');
}

export function isFiltered({ queue, job, sinceMs, from, to, text, error }: TaskView): boolean {
  return Boolean(queue.length || job.length || text || error || sinceMs || from || to);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  const number = Number(text);
  return text && Number.isFinite(number) ? number : undefined;
}
