import { hostname } from 'node:os';
import type { RunnerInfo } from '../backend/stats-store.js';
import type { Attempt } from './attempt.js';
import type { QueueSettings } from './runner-settings.js';
import { version } from '../task/version.js';

const mostTasks = 100;

/** What a runner tells of itself. `running` is in the order in which its runs began. */
export function infoOf(
  name: string,
  concurrency: number,
  queues: readonly QueueSettings[],
  running: ReadonlySet<Attempt>,
  now: number,
): RunnerInfo {
  const tasks: RunnerInfo['tasks'][number][] = [];
  for (const { claimed, startedAt } of running) {
    if (tasks.length === mostTasks) break;
    const { queue, id, job } = claimed;
    if (startedAt > 0) tasks.push({ queue, id, job, runningMs: Math.round(now - startedAt) });
  }
  return {
    name,
    host: hostname(),
    pid: process.pid,
    version,
    // No queue has more slots than its runner.
    queues: queues.map((queue) => ({ ...queue, concurrency: Math.min(queue.concurrency, concurrency) })),
    concurrency,
    running: running.size,
    tasks,
  };
}
