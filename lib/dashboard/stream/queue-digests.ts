import type { Overview } from '../api/overview.js';

/**
 * What is to be seen of each queue, but for what changes by the mere passing of time; under the empty name, what belongs to
 * none.
 */
export function queueDigests({ queues, runners, troubles }: Overview): Map<string, string> {
  const running = new Map<string, unknown[]>();
  for (const runner of runners)
    for (const { queue, id, attempt, progress } of runner.tasks)
      running.set(queue, [...(running.get(queue) ?? []), id, attempt, progress]);
  const digests = queues.map(({ name, counts, isPaused, pausedForMs, runners, charts }): [string, string] => {
    const { succeeded, failed, dead } = charts.hour;
    const ended = [
      succeeded.at(-1),
      succeeded.at(-2),
      failed.at(-1),
      failed.at(-2),
      dead.at(-1),
      charts.hour.startsAt,
    ];
    const parts = [counts, isPaused, pausedForMs === undefined, runners, ended, running.get(name)];
    return [name, JSON.stringify(parts)];
  });
  const others = [runners.map(({ name }) => name), troubles.map(({ code, queue }) => [code, queue])];
  return new Map([...digests, ['', JSON.stringify(others)]]);
}
