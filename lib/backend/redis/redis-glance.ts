import type { TaskState } from '../../task/task-record.js';
import type { QueueGlance } from '../catalog-store.js';
import type { RedisConnection } from './redis-connection.js';

/** Queues that one script call takes at most: others wait while it runs. */
const queuesPerCall = 100;
const valuesPerQueue = 10;

/** In the order in which scripts count. */
const states: readonly TaskState[] = [
  'scheduled',
  'waiting',
  'pending',
  'succeeded',
  'dead',
  'cancelled',
  'parked',
];

export async function glance(connection: RedisConnection, queues: readonly string[]): Promise<QueueGlance[]> {
  const glances = new Map<string, QueueGlance>();
  const parts = connection.sharing([...new Set(queues)].map((queue) => ({ queue })));
  const asking = parts.map(async (part) => {
    for (let from = 0; from < part.length; from += queuesPerCall) {
      const some = part.slice(from, from + queuesPerCall).map(({ queue }) => queue);
      const reply = (await connection.run('glance', some, [])) as (string | number)[];
      some.forEach((queue, at) => glances.set(queue, readGlance(queue, reply, at * valuesPerQueue)));
    }
  });
  await Promise.all(asking);
  return queues.map((queue) => glances.get(queue)!);
}

/** The numbers of a script's reply, by state. */
export function readCounts(reply: readonly (string | number)[], at = 0): Record<TaskState, number> {
  const counts = states.map((state, index) => [state, Number(reply[at + index])]);
  return Object.fromEntries(counts) as Record<TaskState, number>;
}

function readGlance(queue: string, reply: readonly (string | number)[], at: number): QueueGlance {
  const [oldest, paused, due] = [reply[at + 7], reply[at + 8], reply[at + 9]];
  const counts = readCounts(reply, at);
  return {
    queue,
    counts,
    depth: counts.waiting + Number(due),
    oldestWaitingMs: oldest === '' ? undefined : Number(oldest),
    pausedForMs: paused === '' ? undefined : paused === 'inf' ? Infinity : Number(paused),
  };
}
