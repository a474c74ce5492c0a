import { setTimeout as pause } from 'node:timers/promises';
import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import { idleCpuFigures, idleQueues, idleTimes } from '../../side-by-side/measures/idle.js';
import type { PostgresBench } from '../postgres-bench.js';

/** The server tells of a transaction up to a second after its end. */
const statisticsMs = 1_200;

/** How many transactions a process with 50 queues makes while nothing happens, and what CPU time it and the server take. */
export async function measureIdle(bench: PostgresBench): Promise<Figure[]> {
  bench.say('50 idle queues');
  const { url, settings, ask } = bench;
  const { settleMs, watchMs } = idleTimes(settings);
  const samples = await interleave(
    bench,
    async (system) => {
      const resting = ask(system, 'rest', { url, queues: idleQueues, settleMs });
      await resting.ready;
      await pause(statisticsMs);
      const before = await bench.transactions();
      await pause(watchMs);
      const made = (await bench.transactions()) - before;
      resting.enough();
      return { perSecond: made / (watchMs / 1_000), passed: await resting.answer };
    },
    { rounds: 1 },
  );
  return [
    figureOf('idle with 50 queues', 'transactions/s', samples, ({ perSecond }) => perSecond),
    ...idleCpuFigures(samples),
  ];
}
