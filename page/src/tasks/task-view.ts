import { apiBounds, type TaskFilter, type TaskState } from '../../../lib/dashboard/api.js';
import type { Query } from '../core/query.js';
import { hrefOf } from '../core/route.js';
import { states } from '../core/state-words.js';

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

export function isFiltered({ queue, job, sinceMs, from, to, text, error }: TaskView): boolean {
  return Boolean(queue.length || job.length || text || error || sinceMs || from || to);
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  const number = Number(text);
  return text && Number.isFinite(number) ? number : undefined;
}
