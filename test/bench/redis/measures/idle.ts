import { setTimeout as pause } from 'node:timers/promises';
import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import { Monitor } from '../monitor.js';
import type { RedisBench } from '../redis-bench.js';

const queues = Array.from({ length: 50 }, (_, index) => `bench-${index}`);
const settleMs = 3_000;

/** What a process with 50 queues asks the server while nothing happens. */
export async function measureIdle(bench: RedisBench): Promise<Figure[]> {
  bench.say('50 idle queues');
  const { url, settings, ask } = bench;
  const seconds = settings.quick ? 6 : 20;
  const samples = await interleave(
    bench,
    async (system) => {
      const resting = ask(system, 'rest', { url, queues });
      await resting.ready;
      await pause(settleMs);
      const monitor = await Monitor.start(url);
      await pause(seconds * 1_000);
      monitor.stop();
      resting.enough();
      await resting.answer;
      return monitor.sent / seconds;
    },
    { rounds: 1 },
  );
  return [figureOf('idle with 50 queues', 'commands/s', samples, (sent) => sent, [{ below: 1 }])];
}
