import { interleave, type Bench } from '../bench.js';
import { figureOf, median, type Figure } from '../figures.js';
import { lasting } from '../settings.js';

const queue = 'bench';

/** From the start of a process to an application that runs tasks; its schema, if it needs one, is there before. */
export async function measureBoot(bench: Bench): Promise<Figure[]> {
  bench.say('boot');
  const { url, ask, settings } = bench;
  const boots = lasting(settings, { full: 5, quick: 2, tiny: 1 });
  const samples = await interleave(bench, async (system) => {
    const all = [];
    for (let boot = 0; boot < boots; boot++) {
      await ask(system, 'fill', { url, queues: [queue], count: 1 }).answer;
      all.push(await ask(system, 'boot', { url, queue }).answer);
    }
    return {
      upMs: median(all.map(({ upMs }) => upMs)),
      firstRunMs: median(all.map(({ firstRunMs }) => firstRunMs)),
    };
  });
  return [
    figureOf('boot: process start to application up', 'ms', samples, ({ upMs }) => upMs),
    figureOf('boot: process start to first run', 'ms', samples, ({ firstRunMs }) => firstRunMs),
  ];
}
