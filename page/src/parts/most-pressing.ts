import type { QueueRow, Trouble } from '../../../lib/dashboard/api.js';

/** Those of many queues that somebody should look at, in the order of their names; all of few. */
export function mostPressing(
  queues: readonly QueueRow[],
  troubles: readonly Trouble[],
  most: number,
): readonly QueueRow[] {
  if (queues.length <= most) return queues;
  const weights = new Map(queues.map((queue) => [queue, weightOf(queue, troubles)]));
  const pressing = queues
    .toSorted((one, other) => comparing(weights.get(one)!, weights.get(other)!))
    .slice(0, most);
  return queues.filter((queue) => pressing.includes(queue));
}

/** What counts first stands first. */
function weightOf({ name, counts, oldestWaitingMs = 0 }: QueueRow, troubles: readonly Trouble[]): number[] {
  const own = troubles.filter(({ queue }) => queue === name);
  const errors = own.filter(({ level }) => level === 'error').length;
  return [errors, own.length, oldestWaitingMs, counts.waiting + counts.pending, counts.dead];
}

function comparing(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((weight, at) => weight !== other[at]);
  return at < 0 ? 0 : other[at]! - one[at]!;
}
