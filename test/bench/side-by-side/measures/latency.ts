import { interleave, type Bench } from '../bench.js';
import { figureOf, percentile, type Figure, type Goal } from '../figures.js';
import { counted, fixed } from '../settings.js';

const queue = 'bench';
const pauseMs = 12;

/** From the call in one process to the handler in another, on a queue where nothing else happens. */
export async function measureLatency(
  bench: Bench,
  goals: Readonly<Record<50 | 99, readonly Goal[]>>,
): Promise<Figure[]> {
  bench.say('pick-up latency');
  const { url, settings, ask } = bench;
  const warmUp = fixed(settings, 50);
  const samples = await interleave(bench, async (system) => {
    const hearing = ask(system, 'hear', { url, queue });
    await hearing.ready;
    await ask(system, 'call', { url, queue, count: warmUp + counted(settings, 500), pauseMs }).answer;
    hearing.enough();
    return (await hearing.answer).slice(warmUp);
  });
  return ([50, 99] as const).map((percent) =>
    figureOf(
      `idle pick-up, p${percent}`,
      'ms',
      samples,
      (delays) => percentile(delays, percent),
      goals[percent],
    ),
  );
}
