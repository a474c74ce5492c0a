import type { Acted, Backend } from '../backend/backend.js';
import type { SeenTask } from '../backend/catalog-store.js';
import { checkKeys } from '../task/check-keys.js';
import { InvalidOptionError } from '../task/errors.js';
import type { TaskRecord, TaskRef, TaskState } from '../task/task-record.js';
import type { KnownQueues, TaskName } from './known-queues.js';
import { cursorText, digestOf, readCursor } from './page-cursor.js';
import { readLimit } from './queue-walk.js';
import { ScanBudget, type ScanBounds } from './scan-budget.js';
import type { TaskCatalog } from './task-catalog.js';
import { momentOf, readFilter, type TaskFilter, type TaskQuery } from './task-filter.js';

/** Tasks by a filter that says in which states they are: nothing is done to all tasks by leaving something out. */
export interface ActFilter extends TaskFilter {
  readonly state: TaskState | readonly TaskState[];
}

/** One task, some tasks, or all that a filter means. */
export type Which = TaskName | readonly TaskName[] | ActFilter;

/** What became of one task, or how much became of many. */
export type Answer<W extends Which, A> = W extends TaskName ? A : ActedCounts;

/** How many tasks were dealt with, and how. */
export interface ActedCounts {
  readonly done: number;
  /** In a state in which this cannot be done, or no longer in the state that the filter names. */
  readonly left: number;
  /** Its lock or id belongs to another task by now. */
  readonly taken: number;
  readonly missing: number;
  /** Running: asked to stop. */
  readonly requested: number;
  /** False: there may be more than one call deals with. Going on at `next` means none that came in since the first call. */
  readonly complete: boolean;
  readonly next?: string;
}

/** How much of what a filter means one call deals with. */
export interface ActPage {
  /** @default 10,000, which is the most */
  readonly limit?: number;
  /** What the call before gave as `next`; the filter must be the same. */
  readonly after?: string;
  /**
   * A moment by the store's clock, as `now()` tells it: tasks that came to where they are after it are left alone. For whoever
   * counted them first, and means those. With `after`, that of the first call holds.
   * @default when the first call is made
   */
  readonly asOf?: Date | number;
}

export type TaskAct = 'retry' | 'cancel' | 'remove' | 'runNow';

const statesFor: Record<TaskAct, readonly TaskState[]> = {
  retry: ['dead', 'cancelled', 'parked'],
  cancel: ['scheduled', 'waiting', 'parked', 'pending'],
  remove: ['scheduled', 'waiting', 'parked', 'dead', 'cancelled', 'succeeded'],
  runNow: ['scheduled'],
};

const mostTasks = 10_000;
const perStep = 500;
const bounds: ScanBounds = { rows: 50_000, ms: 5_000 };

interface ActPlace {
  /** The store's time at the first call, or before it, where that was asked for. */
  readonly beganAt: number;
  readonly after?: string;
}

/** Steering tasks: one, some, or all that a filter means. */
export class TaskActions {
  constructor(
    private readonly backend: Backend,
    private readonly tasks: TaskCatalog,
    private readonly queues: KnownQueues,
  ) {}

  /** The store's time; where it has several parts, that of one of them. */
  async now(): Promise<number> {
    const [first = 'default'] = await this.queues.names();
    return this.backend.schedules.now(first);
  }

  /** One task is answered for as such, several by how many. */
  async act<W extends Which, A>(act: TaskAct, which: W, page: ActPage): Promise<Answer<W, A>> {
    return (await this.answer(act, which, page)) as Answer<W, A>;
  }

  private async answer(
    act: TaskAct,
    which: Which,
    page: ActPage,
  ): Promise<Acted | 'requested' | ActedCounts> {
    if (isName(which)) {
      const ref = await this.refOf(which);
      return ref ? (await this.step(act, [ref]))[0]! : 'missing';
    }
    return isNames(which) ? this.some(act, which) : this.matching(act, which, page);
  }

  private async some(act: TaskAct, names: readonly TaskName[]): Promise<ActedCounts> {
    if (names.length > mostTasks || !names.every(isName))
      throw new InvalidOptionError(act, 'names', names, `at most ${mostTasks} ids, or { queue, id }`);
    const tally = new Tally();
    for (let from = 0; from < names.length; from += perStep) {
      const found = await Promise.all(names.slice(from, from + perStep).map((name) => this.refOf(name)));
      const refs = found.filter((ref) => ref !== undefined);
      tally.add(await this.step(act, refs));
      tally.add(Array<Acted>(found.length - refs.length).fill('missing'));
    }
    return tally.counts(undefined);
  }

  /** Looks first and acts then: what it does cannot bring tasks before its eyes again. */
  private async matching(act: TaskAct, filter: ActFilter, page: ActPage): Promise<ActedCounts> {
    checkKeys(page, ['limit', 'after', 'asOf'], act, 'page');
    const limit = readLimit(act, page.limit ?? mostTasks, mostTasks);
    const query = readFilter(act, checked(act, filter));
    const digest = digestOf(query.question);
    const place =
      page.after === undefined
        ? { beganAt: Math.min(momentOf(act, 'asOf', page.asOf) ?? Infinity, await this.now()) }
        : readCursor<ActPlace>(act, digest, page.after, isActPlace);
    const { seen, after } = await this.look(act, query, place, limit);
    const tally = new Tally();
    for (let from = 0; from < seen.length; from += perStep)
      tally.add(await this.step(act, seen.slice(from, from + perStep)));
    return tally.counts(after === undefined ? undefined : cursorText(act, digest, { ...place, after }));
  }

  private async look(act: TaskAct, query: TaskQuery, { beganAt, after }: ActPlace, limit: number) {
    const { wants } = query;
    const wanted = (task: TaskRecord) => cameAt(task) <= beganAt && (wants?.(task) ?? true);
    const budget = new ScanBudget(bounds);
    const seen: SeenTask[] = [];
    const piece = Math.min(limit, perStep);
    const pieces = this.tasks.all(act, { ...query, wants: wanted }, budget, { after, limit: piece });
    for await (const { items, next } of pieces) {
      for (const { queue, id, state } of items) seen.push({ queue, id, state });
      if (next === undefined) return { seen };
      after = next;
      if (seen.length + piece > limit) break;
    }
    return { seen, after };
  }

  private async step(act: TaskAct, refs: readonly SeenTask[]): Promise<(Acted | 'requested')[]> {
    const answers: (Acted | 'requested')[] = await this.backend.catalog[act](refs);
    // A bell tells the runner of a task that is asked to stop.
    refs.forEach(({ queue, id }, at) => answers[at] === 'requested' && this.backend.bell.ring(queue, id));
    return answers;
  }

  private async refOf(name: TaskName): Promise<TaskRef | undefined> {
    if (typeof name !== 'string') return { queue: name.queue, id: name.id };
    const task = await this.tasks.find(name);
    return task && { queue: task.queue, id: task.id };
  }
}

function isName(which: unknown): which is TaskName {
  if (typeof which === 'string') return true;
  const { queue, id } = Object(which) as Partial<TaskRef>;
  return typeof queue === 'string' && typeof id === 'string';
}

function isNames(which: Which): which is readonly TaskName[] {
  return Array.isArray(which);
}

function isActPlace(place: unknown): place is ActPlace {
  const { beganAt, after } = Object(place) as Partial<Record<keyof ActPlace, unknown>>;
  return typeof beganAt === 'number' && typeof after === 'string';
}

function checked(act: TaskAct, filter: ActFilter): ActFilter {
  const possible = statesFor[act];
  const { state } = Object(filter) as Partial<ActFilter>;
  const states: readonly unknown[] = Array.isArray(state) ? state : [state];
  if (!states.every((one) => possible.includes(one as TaskState)))
    throw new InvalidOptionError(act, 'state', state, `one or more of ${possible.join(', ')}`);
  return filter;
}

/** When a task last came to where it is, as far as its record tells. */
function cameAt({ state, enqueuedAt, dueAt, finishedAt = 0, startedAt = 0, errors }: TaskRecord): number {
  const waitsSince = state === 'waiting' ? dueAt : 0;
  return Math.max(enqueuedAt, waitsSince, finishedAt, startedAt, errors.at(-1)?.at ?? 0);
}

class Tally {
  private readonly of = { done: 0, left: 0, taken: 0, missing: 0, requested: 0 };

  add(answers: readonly (Acted | 'requested')[]): void {
    for (const answer of answers) this.of[answer]++;
  }

  counts(next: string | undefined): ActedCounts {
    return next === undefined ? { ...this.of, complete: true } : { ...this.of, complete: false, next };
  }
}
