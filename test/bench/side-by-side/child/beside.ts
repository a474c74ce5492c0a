import { setTimeout as pause } from 'node:timers/promises';
import type { Line, Place, Stage } from './stage.js';

/** How many tasks this process had handled at a moment, in milliseconds of the clock that all processes share. */
export type Mark = readonly [atMs: number, handled: number];

const idleMs = 1_000;

/**
 * Handles what is in the queue beside other processes that do the same, until nothing comes any more: marks on the way, from
 * which the asker finds the pace of all together.
 */
export async function handleBeside(
  { system }: Stage,
  { url, queue, concurrency, step }: Place & { concurrency: number; step: number },
  line: Line,
): Promise<Mark[]> {
  const marks: Mark[] = [];
  let handled = 0;
  const consumer = await system.consume({ url, queues: [queue], concurrency }, () => {
    if (++handled % step === 0) marks.push([Number(process.hrtime.bigint()) / 1e6, handled]);
  });
  let [seen, isEnough] = [0, false];
  void line.enough.then(() => (isEnough = true));
  do {
    seen = handled;
    await Promise.race([pause(idleMs), line.enough]);
  } while (!isEnough && (handled === 0 || handled !== seen));
  await consumer.close();
  return marks;
}
