import { setTimeout as pause } from 'node:timers/promises';
import { ask } from '../ask.js';
import { interleave, type Bench } from '../bench.js';
import { figureOf, type Figure } from '../figures.js';
import { Monitor } from '../monitor.js';

const queues = Array.from({ length: 50 }, (_, index) => `bench-${index}`);
const settleMs = 3_000;

/** What a process with 50 queues asks the server while nothing happens. */
export async function measureIdle(bench: Bench): Promise<Figure[]> {
  bench.say('50 idle queues');
  const { url, settings } = bench;
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
