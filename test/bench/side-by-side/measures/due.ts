import { interleave, type Bench } from '../bench.js';
import { figureOf, percentile, type Figure, type Goal } from '../figures.js';
import { fixed, lasting } from '../settings.js';

export async function measureDue(bench: Bench, goals: readonly Goal[]): Promise<Figure[]> {
  const { url, ask, settings } = bench;
  const count = fixed(settings, 10_000);
  const many = count.toLocaleString('en-US');
  bench.say(`${many} tasks due within one second`);
  const leadMs = lasting(settings, { full: 4_000, quick: 4_000, tiny: 2_000 });
  const samples = await interleave(
    bench,
    (system) => ask(system, 'due', { url, queue: 'bench', count, leadMs }).answer,
  );
  return [50, 99].map((percent) =>
    figureOf(
      `${many} due in one second: lateness, p${percent}`,
      'ms',
      samples,
      (lateness) => percentile(lateness, percent),
      percent === 99 ? goals : [],
    ),
  );
}
