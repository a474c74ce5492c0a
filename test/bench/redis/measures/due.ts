import { interleave } from '../../side-by-side/bench.js';
import { figureOf, percentile, type Figure } from '../../side-by-side/figures.js';
import type { RedisBench } from '../redis-bench.js';

const leadMs = 4_000;

export async function measureDue(bench: RedisBench): Promise<Figure[]> {
  bench.say('10,000 tasks due within one second');
  const { url, ask } = bench;
  const samples = await interleave(
    bench,
    (system) => ask(system, 'due', { url, queue: 'bench', count: 10_000, leadMs }).answer,
  );
  return [50, 99].map((percent) =>
    figureOf(
      `10,000 due in one second: lateness, p${percent}`,
      'ms',
      samples,
      (lateness) => percentile(lateness, percent),
      percent === 99 ? [{ to: 'BullMQ', below: 1 }] : [],
    ),
  );
}
