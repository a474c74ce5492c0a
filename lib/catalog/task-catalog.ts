import type { Backend } from '../backend/backend.js';
import { sizeOf, type TaskRecord, type TaskState } from '../task/task-record.js';
import type { Duration } from '../task/duration.js';
import { checkKeys } from '../task/check-keys.js';
import type { KnownQueues, TaskName } from './known-queues.js';
import {
  readLimit,
  usualBounds,
  walkAll,
  walkPage,
  type Shelf,
  type WalkPage,
  type WalkRequest,
} from './queue-walk.js';
import type { CatalogRedaction } from './redaction.js';
import { boundsWithin, ScanBudget, type ScanBounds } from './scan-budget.js';
import { readFilter, type TaskFilter, type TaskQuery } from './task-filter.js';
import { taskInfo, type TaskInfo } from './task-info.js';

/** Which part of a list is wanted. */
export interface Page {
  /** @default 100, at most 1,000 */
  readonly limit?: number;
  /** What the page before gave as `next`; the filter must be the same. */
  readonly after?: string;
}

/** From where a call goes on, and how long it may look before it answers with what it has. */
export interface Search {
  /** What the call before gave as `next`; the filter must be the same. */
  readonly after?: string;
  /**
   * For whoever waits in front of a screen: what was not looked at by then is behind `next`.
   * @default 1 second for a page, 2 for what is counted or grouped
   */
  readonly within?: Duration;
}

export interface TasksPage {
  readonly tasks: TaskInfo[];
  /** There may be more: the next page goes on here. */
  readonly next?: string;
  /** False: the search had to stop before the page was full. What it has not looked at yet is behind `next`. */
  readonly complete: boolean;
}

/** How many tasks a filter means. */
export interface TaskCount {
  readonly count: number;
  /** False: there may be more than could be looked at in one call. */
  readonly complete: boolean;
  /** What was not looked at yet: a call from here counts that. */
  readonly next?: string;
}

const countBounds: ScanBounds = { rows: 50_000, ms: 2_000 };

/** Reading the tasks in the store. */
export class TaskCatalog {
  constructor(
    private readonly backend: Backend,
    private readonly queues: KnownQueues,
    private readonly redaction: CatalogRedaction,
  ) {}

  find(name: TaskName): Promise<TaskRecord | undefined> {
    return this.queues.find(name, (ref) => this.backend.catalog.get(ref));
  }

  async task(name: TaskName): Promise<TaskInfo | undefined> {
    const record = await this.find(name);
    if (!record) return undefined;
    const { queue, lock } = record;
    const [now, held] = await Promise.all([
      this.now([record]),
      lock && this.backend.catalog.lock({ queue, key: lock.key }),
    ]);
    return taskInfo(this.redaction.task(record), { now, holder: held?.holder });
  }

  async tasks(
    filter: TaskFilter,
    page: Page & Search & { readonly backwards?: boolean },
  ): Promise<TasksPage> {
    checkKeys(page, ['limit', 'after', 'backwards', 'within'], 'tasks', 'page');
    const query = readFilter('tasks', filter);
    const limit = readLimit('tasks', page.limit);
    // Whoever searches for an id has it at once, however many tasks there are.
    const named = page.after === undefined ? await this.named(query) : [];
    const { items, next, complete } = await walkPage(
      this.shelf('tasks', unnamed(query), page.backwards ?? false),
      { limit: Math.max(limit - named.length, 0), after: page.after },
      new ScanBudget(boundsWithin('tasks', usualBounds, page.within)),
    );
    const records = [...named, ...items];
    const now = await this.now(records);
    return { tasks: records.map((record) => taskInfo(record, { now })), next, complete };
  }

  async count(filter: TaskFilter, { after, within }: Search): Promise<TaskCount> {
    const query = readFilter('count', filter);
    if (!query.wants) return { count: await this.counted(query), complete: true };
    let found: TaskCount = { count: 0, complete: true };
    const budget = new ScanBudget(boundsWithin('count', countBounds, within));
    for await (const { items, complete, next } of this.all('count', query, budget, { after }))
      found = { count: found.count + items.length, complete, next };
    return found;
  }

  /** Records that have passed the redaction, in pieces, as far as the budget reaches. */
  all(
    call: string,
    query: TaskQuery,
    budget: ScanBudget,
    { backwards = false, ...from }: Partial<WalkRequest> & { readonly backwards?: boolean } = {},
  ): AsyncGenerator<WalkPage<TaskRecord>> {
    return walkAll(this.shelf(call, query, backwards), budget, from);
  }

  private shelf(call: string, query: TaskQuery, backwards: boolean): Shelf<TaskRecord, TaskState> {
    const { catalog } = this.backend;
    const { queues, states, wants, question } = query;
    return {
      call,
      question: { ...(question as object), backwards },
      keys: states,
      only: queues,
      queues: () => this.queues.names(),
      among: async (names, state) => {
        if (names.length === 1) return names;
        const glances = await catalog.glance(names);
        return glances.filter(({ counts }) => counts[state] > 0).map(({ queue }) => queue);
      },
      page: async (queue, state, request) => {
        const { tasks, next } = await catalog.list(queue, state, { ...request, backwards });
        return { items: tasks.map((task) => this.redaction.task(task)), next };
      },
      sizeOf,
      compare: (state) => (one, other) => comparing(state, one, other) * (backwards ? -1 : 1),
      wants,
    };
  }

  private async named({ text, queues, states, wants }: TaskQuery): Promise<TaskRecord[]> {
    if (text === undefined) return [];
    const found = await this.queues.findAll(text, (ref) => this.backend.catalog.get(ref), queues);
    const shown = found.map((record) => this.redaction.task(record));
    return shown.filter((record) => states.includes(record.state) && wants!(record));
  }

  private async counted({ queues, states }: TaskQuery): Promise<number> {
    const glances = await this.backend.catalog.glance(queues ?? (await this.queues.names()));
    return glances
      .flatMap(({ counts }) => states.map((state) => counts[state]))
      .reduce((sum, n) => sum + n, 0);
  }

  /** Only what runs is measured by the store's clock. */
  private async now(records: readonly TaskRecord[]): Promise<number | undefined> {
    const running = records.find(({ startedAt }) => startedAt !== undefined);
    return running && this.backend.schedules.now(running.queue);
  }
}

/** Those that were looked up by their id stand on the first page, and on no other. */
function unnamed(query: TaskQuery): TaskQuery {
  const { text, wants } = query;
  return text === undefined ? query : { ...query, wants: (task) => task.id !== text && wants!(task) };
}

/** How the tasks of several queues in one state stand to each other. */
function comparing(state: TaskState, one: TaskRecord, other: TaskRecord): number {
  if (state === 'waiting' && one.priority !== other.priority) return one.priority - other.priority;
  return momentOf(one) - momentOf(other);
}

/** What runs stands in order of arrival. */
function momentOf({ state, finishedAt, enqueuedAt, dueAt }: TaskRecord): number {
  return finishedAt ?? (state === 'pending' ? enqueuedAt : dueAt);
}
