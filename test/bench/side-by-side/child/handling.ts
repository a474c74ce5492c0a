import { payload } from '../system.js';
import type { Stage } from './stage.js';
import { Window, type Passed } from './window.js';

const bulkSize = 10_000;

interface Queues {
  readonly url: string;
  readonly queues: readonly string[];
}

/** Leaves tasks, as many in each queue, due at once or at the given moment. */
export async function fill(
  { system }: Stage,
  { url, queues, count, at }: Queues & { count: number; at?: number },
): Promise<void> {
  for (const queue of queues) {
    const producer = await system.produce(url, queue);
    for (let left = Math.ceil(count / queues.length); left > 0; left -= bulkSize) {
      const size = Math.min(left, bulkSize);
      const moments = at === undefined ? undefined : Array<number>(size).fill(at);
      await producer.addBulk(
        Array.from({ length: size }, () => payload()),
        moments,
      );
    }
    await producer.close();
  }
}

/**
 * Handles what is in the queues. Counted are `count` tasks after the first `warmUp`; more must wait behind them, so that the
 * clock stops, as it started, amid full work and not at an end that batches blur.
 */
export async function handle(
  { system, openProbe }: Stage,
  {
    url,
    queues,
    concurrency,
    warmUp,
    count,
  }: Queues & { concurrency: number; warmUp: number; count: number },
): Promise<Passed> {
  const window = new Window(await openProbe(url));
  let handled = 0;
  let tell: () => void;
  const counted = new Promise<void>((resolve) => (tell = resolve));
  const consumer = await system.consume({ url, queues, concurrency }, () => {
    handled++;
    if (handled === warmUp) window.begin();
    if (handled !== warmUp + count) return;
    window.end();
    tell();
  });
  await counted;
  const passed = await window.passed();
  await consumer.close();
  return passed;
}
