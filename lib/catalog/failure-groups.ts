import { errorGroupOf } from './error-group.js';
import { boundsWithin, ScanBudget, type ScanBounds } from './scan-budget.js';
import type { Search, TaskCatalog } from './task-catalog.js';
import { readFilter, type TaskFilter } from './task-filter.js';
import type { TaskRecord, TaskRef } from '../task/task-record.js';

/** Dead tasks of a job that ended with the same error, but for ids and numbers. */
export interface FailureGroup {
  readonly job: string;
  /** Name and message, ids and numbers as `#`: with `job`, a filter for the tasks of the group. */
  readonly error: string;
  readonly count: number;
  readonly queues: readonly string[];
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The latest of them. */
  readonly sample: TaskRef;
}

export interface FailureGroups {
  /** The largest first. */
  readonly groups: FailureGroup[];
  /** How many dead tasks they hold. */
  readonly count: number;
  /** False: there are more dead tasks than were looked at; those that stay longest were, as a rule the latest. */
  readonly complete: boolean;
  /** Those that were not looked at: a call from here groups them. */
  readonly next?: string;
}

const bounds: ScanBounds = { rows: 20_000, ms: 2_000 };
const mostGroups = 500;

type Group = { -readonly [K in keyof FailureGroup]: FailureGroup[K] } & { queues: string[] };

/** The dead tasks that a filter means, by job and error; those that stay longest are looked at first: the latest, where all are kept equally long. */
export async function failureGroups(
  tasks: TaskCatalog,
  filter: Omit<TaskFilter, 'state'>,
  { after, within }: Search,
): Promise<FailureGroups> {
  const query = readFilter('failures', { ...filter, state: 'dead' });
  const groups = new Map<string, Group>();
  let [count, next]: [number, string | undefined] = [0, undefined];
  const budget = new ScanBudget(boundsWithin('failures', bounds, within));
  for await (const piece of tasks.all('failures', query, budget, { after, backwards: true })) {
    for (const task of piece.items) add(groups, task);
    count += piece.items.length;
    ({ next } = piece);
    if (groups.size > mostGroups) break;
  }
  const largestFirst = [...groups.values()].sort((one, other) => other.count - one.count);
  return { groups: largestFirst, count, complete: next === undefined, next };
}

function add(groups: Map<string, Group>, task: TaskRecord): void {
  const { queue, id, job, finishedAt, dueAt } = task;
  const error = errorGroupOf(task);
  const at = new Date(finishedAt ?? dueAt);
  const key = JSON.stringify([job, error]);
  const group = groups.get(key);
  if (!group) {
    groups.set(key, {
      job,
      error,
      count: 1,
      queues: [queue],
      firstAt: at,
      lastAt: at,
      sample: { queue, id },
    });
    return;
  }
  group.count++;
  if (!group.queues.includes(queue)) group.queues.push(queue);
  if (at < group.firstAt) group.firstAt = at;
  if (at > group.lastAt) Object.assign(group, { lastAt: at, sample: { queue, id } });
}
