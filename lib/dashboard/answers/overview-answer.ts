import type { LiveRunnerInfo, QueueInfo } from '../../catalog/queue-catalog.js';
import type { TaskInfo } from '../../catalog/task-info.js';
import type { Ref, StateCounts } from '../api/basics.js';
import type { Overview, QueueRow, RunnerRow, RunningTask, Trouble } from '../api/overview.js';
import { chartsOf, chartsOfAll } from './charts.js';

/** Most of what one runner runs that is shown. */
const shownTasks = 50;

export function queueRow(queue: QueueInfo): QueueRow {
  const { name, counts, oldestWaitingMs, isPaused, pausedForMs, runners } = queue;
  return { name, counts, oldestWaitingMs, isPaused, pausedForMs, runners, charts: chartsOf(queue) };
}

/** What the store has as running, or the beginning of that. */
export interface Pending {
  readonly tasks: readonly TaskInfo[];
  readonly isAll: boolean;
}

export function overviewOf(
  queues: readonly QueueInfo[],
  runners: readonly LiveRunnerInfo[],
  pending: Pending,
  troubles: readonly Trouble[],
): Overview {
  const rows = queues.map(queueRow);
  return {
    counts: sumOf(rows),
    charts: chartsOfAll(rows.map(({ charts }) => charts)),
    queues: rows,
    runners: runners.map((runner) => runnerRow(runner, pending)),
    troubles,
  };
}

/** What the store has as running is newer than what a runner has told of itself; where it is not all, both are shown. */
function runnerRow(runner: LiveRunnerInfo, pending: Pending): RunnerRow {
  const { name, host, pid, version, queues, concurrency, running, startedAt, seenAt } = runner;
  const stored = pending.tasks.filter((task) => task.runner === name).map(runningTask);
  const isStored = ({ queue, id }: Ref) => stored.some((one) => one.id === id && one.queue === queue);
  const told = pending.isAll ? [] : runner.tasks.filter((task) => !isStored(task));
  const tasks = [...stored, ...told].sort((one, other) => other.runningMs - one.runningMs);
  return {
    name,
    host,
    pid,
    version,
    queues: queues.map((queue) => ({ name: queue.name, concurrency: finite(queue.concurrency) })),
    concurrency: finite(concurrency),
    running: pending.isAll ? tasks.length : Math.max(running, tasks.length),
    startedAt: startedAt.getTime(),
    seenAt: seenAt.getTime(),
    tasks: tasks.slice(0, shownTasks),
  };
}

function runningTask({ queue, id, job, runningMs = 0, attempt, progress }: TaskInfo): RunningTask {
  return { queue, id, job, runningMs, attempt, progress };
}

function sumOf(rows: readonly QueueRow[]): StateCounts {
  const sum = { scheduled: 0, waiting: 0, pending: 0, succeeded: 0, dead: 0, cancelled: 0, parked: 0 };
  for (const { counts } of rows)
    for (const state of Object.keys(sum) as (keyof StateCounts)[]) sum[state] += counts[state];
  return sum;
}

/** JSON knows no Infinity. */
function finite(amount: number | null): number | null {
  return amount !== null && Number.isFinite(amount) ? amount : null;
}
