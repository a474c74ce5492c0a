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

interface Matching {
  readonly filter: TaskFilter & { readonly state: readonly TaskState[] };
}

/** All that match, in the states in which the action is possible; undefined: there are none. */
export function matching(filter: TaskFilter, action: TaskAction): Matching | undefined {
  const possible: readonly TaskState[] = statesForAction[action];
  const state = filter.state?.length ? filter.state.filter((state) => possible.includes(state)) : possible;
  return state.length > 0 ? { filter: { ...filter, state } } : undefined;
}

/** The body parser of Express takes 100 kB unless it is told otherwise. */
const mostBytes = 64_000;

/** Where more are named than one call may, there are several. */
function parts(which: Which): Which[] {
  if ('filter' in which) return [which];
  const calls: Ref[][] = [];
  let bytes = Infinity;
  for (const { queue, id } of which.refs) {
    const ref: Ref = { queue, id };
    const size = new Blob([JSON.stringify(ref)]).size + 1;
    const isFull = bytes + size > mostBytes || calls.at(-1)!.length === apiBounds.ids;
    if (isFull) calls.push([]);
    bytes = isFull ? size : bytes + size;
    calls.at(-1)!.push(ref);
  }
  return calls.map((refs) => ({ refs }));
}

/** What was named to somebody before he said yes. */
export interface Named {
  readonly count: number;
  /** When it was begun to count them, by the store's clock, where a filter names them. */
  readonly asOf?: number;
}

/** How many would be dealt with; `onWay` hears how many are counted. */
export async function preview(
  api: Api,
  action: TaskAction,
  which: Which,
  signal: AbortSignal,
  onWay: (count: number) => void,
): Promise<Named> {
  let count = 0;
  let asOf: number | undefined;
  for (const part of parts(which)) {
    let after: string | undefined;
    do {
      const request: TaskPreviewRequest = { action, which: part, after };
      const found: TaskPreview = await api.post<TaskPreview>('tasks/preview', request, signal);
      count += found.count;
      asOf ??= found.asOf;
      onWay(count);
      after = found.next;
    } while (after !== undefined);
  }
  return { count, asOf };
}

/** Of all that match, one call deals with no more. */
const mostPerCall = 10_000;
const none: TaskActed = { done: 0, requested: 0, left: 0, taken: 0, missing: 0 };

/**
 * Deals with those that were named, call by call, and with no more than that; `onWay` hears how far it is. It ends early where
 * the signal says so.
 */
export async function act(
  api: Api,
  action: TaskAction,
  which: Which,
  { count, asOf }: Named,
  signal: AbortSignal,
  onWay: (so: TaskActed) => void,
): Promise<TaskActed> {
  let sum = none;
  for (const part of parts(which)) {
    let after: string | undefined;
    do {
      const bounds = 'filter' in part && { limit: Math.min(count - seenIn(sum), mostPerCall), asOf };
      const request: TaskActRequest = { action, which: part, after, ...bounds };
      // Never broken off under way: what became of it would not be known.
      const acted: TaskActed = await api.post<TaskActed>('tasks/act', request);
      sum = plus(sum, acted);
      onWay(sum);
      after = acted.next;
    } while (after !== undefined && !signal.aborted && seenIn(sum) < count);
    if (signal.aborted) break;
  }
  return sum;
}

/** How many have been looked at, whatever became of them. */
export function seenIn({ done, requested, left, taken, missing }: TaskActed): number {
  return done + requested + left + taken + missing;
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
