import { interleave, type Bench } from '../bench.js';
import { figureOf, percentile, type Figure } from '../figures.js';
import { lasting } from '../settings.js';

const queue = 'bench';
const perSecond = 1_000;
const concurrency = 100;

/** From call to handler while 1,000 tasks a second come in; the first fifth warms up. */
export async function measureLoad(bench: Bench): Promise<Figure[]> {
  const { url, ask, settings } = bench;
  const seconds = lasting(settings, { full: 15, quick: 5, tiny: 0.5 });
  bench.say(`${perSecond} tasks a second for ${seconds} s`);
  const samples = await interleave(bench, async (system) => {
    const hearing = ask(system, 'hear', { url, queue, concurrency });
    await hearing.ready;
    await ask(system, 'supply', { url, queue, perSecond, seconds }).answer;
    hearing.enough();
    const delays = await hearing.answer;
    return { kept: delays.length / seconds, delays: delays.slice(Math.floor(delays.length / 5)) };
  });
  const at = 'call to run at 1,000 a second';
  return [
    ...[50, 99].map((percent) =>
      figureOf(`${at}, p${percent}`, 'ms', samples, ({ delays }) => percentile(delays, percent)),
    ),
    figureOf('run of 1,000 a second that come in', 'tasks/s', samples, ({ kept }) => kept),
  ];
}
