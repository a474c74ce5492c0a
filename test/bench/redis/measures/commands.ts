import { ask } from '../ask.js';
import { interleave, type Bench } from '../bench.js';
import { figureOf, type Figure } from '../figures.js';
import { Monitor } from '../monitor.js';
import type { SystemName } from '../system.js';
import { handleStored } from './process.js';

const queue = 'bench';
const count = 10_000;

/** Commands that 10,000 tasks take on their way in and on their way out. */
export async function measureCommands(bench: Bench): Promise<Figure[]> {
  bench.say('commands sent');
  const { url } = bench;
  const counted = (work: (system: SystemName) => Promise<unknown>) =>
    interleave(
      bench,
      async (system) => {
        const monitor = await Monitor.start(url);
        try {
          await work(system);
          return monitor.sentInWindow;
        } finally {
          monitor.stop();
        }
      },
      { rounds: 1 },
    );
  const processed = await counted((system) => handleStored(url, system, 100, count));
  const args = { url, queue, way: { awaiters: 100 }, warmUp: 1_000, count };
  const enqueued = await counted((system) => ask(system, 'enqueue', args).answer);
  const goals = [{ to: 'bullmq' as const, atMost: 1 / 3 }];
  return [
    figureOf('sent for 10,000 processed, concurrency 100', 'commands', processed, (sent) => sent, goals),
    figureOf('sent for 10,000 enqueued, 100 awaiters', 'commands', enqueued, (sent) => sent, goals),
  ];
}
