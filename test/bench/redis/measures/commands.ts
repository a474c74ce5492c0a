import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import { handleStored } from '../../side-by-side/measures/process.js';
import { fixed } from '../../side-by-side/settings.js';
import { Monitor } from '../monitor.js';
import type { RedisBench } from '../redis-bench.js';

const queue = 'bench';

/** Commands that 10,000 tasks take on their way in and on their way out. */
export async function measureCommands(bench: RedisBench): Promise<Figure[]> {
  bench.say('commands sent');
  const { url, ask, settings } = bench;
  const count = fixed(settings, 10_000);
  const counted = (work: (system: string) => Promise<unknown>) =>
    interleave(
      bench,
      async (system) => {
        const monitor = await Monitor.start(url);
        try {
          await work(system);
          return await monitor.sentInWindow();
        } finally {
          monitor.stop();
        }
      },
      { rounds: 1 },
    );
  const processed = await counted((system) => handleStored(bench, system, 100, count));
  const args = { url, queue, way: { awaiters: 100 }, warmUp: fixed(settings, 1_000), count };
  const enqueued = await counted((system) => ask(system, 'enqueue', args).answer);
  const many = count.toLocaleString('en-US');
  const goals = [{ to: 'BullMQ' as const, atMost: 1 / 3 }];
  return [
    figureOf(`sent for ${many} processed, concurrency 100`, 'commands', processed, (sent) => sent, goals),
    figureOf(`sent for ${many} enqueued, 100 awaiters`, 'commands', enqueued, (sent) => sent, goals),
  ];
}
