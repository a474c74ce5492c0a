import { setTimeout as pause } from 'node:timers/promises';
import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import { idleCpuFigures, idleQueues, idleTimes } from '../../side-by-side/measures/idle.js';
import { Monitor } from '../monitor.js';
import type { RedisBench } from '../redis-bench.js';

/** What a process with 50 queues asks the server while nothing happens, and what CPU time it and the server take. */
export async function measureIdle(bench: RedisBench): Promise<Figure[]> {
  bench.say('50 idle queues');
  const { url, settings, ask } = bench;
  const { settleMs, watchMs } = idleTimes(settings);
  const samples = await interleave(
    bench,
    async (system) => {
      const resting = ask(system, 'rest', { url, queues: idleQueues, settleMs });
      await resting.ready;
      const monitor = await Monitor.start(url);
      await pause(watchMs);
      monitor.stop();
      resting.enough();
      return { sent: monitor.sent / (watchMs / 1_000), passed: await resting.answer };
    },
    { rounds: 1 },
  );
  return [
    figureOf('idle with 50 queues', 'commands/s', samples, ({ sent }) => sent, [{ below: 1 }]),
    ...idleCpuFigures(samples),
  ];
}
