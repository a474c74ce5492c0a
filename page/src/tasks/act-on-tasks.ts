import {
  apiBounds,
  statesForAction,
  type Ref,
  type TaskAction,
  type TaskActed,
  type TaskActRequest,
  type TaskFilter,
  type TaskPreview,
  type TaskPreviewRequest,
  type TaskState,
  type Which,
} from '../../../lib/dashboard/api.js';
import type { Api } from '../core/api.js';
import { actionWords } from '../core/state-words.js';
import { counted, many } from '../core/words.js';

/** All that match, in the states in which the action is possible; undefined: there are none. */
export function matching(filter: TaskFilter, action: TaskAction): Which | undefined {
  const possible: readonly TaskState[] = statesForAction[action];
  const state = filter.state?.length ? filter.state.filter((state) => possible.includes(state)) : possible;
  return state.length > 0 ? { filter: { ...filter, state } } : undefined;
}

/** Where more are named than one call may, there are several. */
function parts(which: Which): Which[] {
  if ('filter' in which) return [which];
  const refs = which.refs.map(({ queue, id }): Ref => ({ queue, id }));
  return Array.from({ length: Math.ceil(refs.length / apiBounds.ids) }, (_, part) => ({
    refs: refs.slice(part * apiBounds.ids, (part + 1) * apiBounds.ids),
  }));
}

/** How many would be dealt with; `onWay` hears how many are counted. */
export async function preview(
  api: Api,
  action: TaskAction,
  which: Which,
  signal: AbortSignal,
  onWay: (count: number) => void,
): Promise<number> {
  let count = 0;
  for (const part of parts(which)) {
    let after: string | undefined;
    do {
      const request: TaskPreviewRequest = { action, which: part, after };
      const found: TaskPreview = await api.post<TaskPreview>('tasks/preview', request, signal);
      count += found.count;
      onWay(count);
      after = found.next;
    } while (after !== undefined);
  }
  return count;
}

const none: TaskActed = { done: 0, requested: 0, left: 0, taken: 0, missing: 0 };

/** Deals with all of them, call by call; `onWay` hears how far it is. It ends early where the signal says so. */
export async function act(
  api: Api,
  action: TaskAction,
  which: Which,
  signal: AbortSignal,
  onWay: (so: TaskActed) => void,
): Promise<TaskActed> {
  let sum = none;
  for (const part of parts(which)) {
    let after: string | undefined;
    do {
      const request: TaskActRequest = { action, which: part, after };
      // Never broken off under way: what became of it would not be known.
      const acted: TaskActed = await api.post<TaskActed>('tasks/act', request);
      sum = plus(sum, acted);
      onWay(sum);
      after = acted.next;
    } while (after !== undefined && !signal.aborted);
    if (signal.aborted) break;
  }
  return sum;
}

function plus(a: TaskActed, b: TaskActed): TaskActed {
  return {
    done: a.done + b.done,
    requested: a.requested + b.requested,
    left: a.left + b.left,
    taken: a.taken + b.taken,
    missing: a.missing + b.missing,
  };
}

/** What became of them, in a sentence. */
export function actedWords(action: TaskAction, { done, requested, left, taken, missing }: TaskActed): string {
  const said = [
    (done > 0 || requested === 0) && `${many(done, 'task')} ${actionWords[action].done}`,
    requested > 0 && `${counted(requested)} asked to stop`,
    left > 0 && `${counted(left)} left alone, being in another state by now`,
    taken > 0 && `${counted(taken)} left alone, since their lock or id belongs to another task by now`,
    missing > 0 && `${counted(missing)} gone already`,
  ];
  return `${said.filter(Boolean).join('; ')}.`;
}
