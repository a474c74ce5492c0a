import { setTimeout as pause } from 'node:timers/promises';
import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import { fixed, lasting } from '../../side-by-side/settings.js';
import type { RedisBench } from '../redis-bench.js';

/** What waiting tasks take of the server's memory; the same in every round. */
export async function measureMemory(bench: RedisBench): Promise<Figure[]> {
  const { url, admin, ask, settings } = bench;
  const count = fixed(settings, 100_000);
  bench.say(`${count} waiting tasks in memory`);
  const settleMs = lasting(settings, { full: 1_000, quick: 1_000, tiny: 100 });
  const used = async () => {
    // Tables that grew are moved, and buffers of connections freed, some moments later.
    await pause(settleMs);
    return Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))![1]);
  };
  const samples = await interleave(
    bench,
    async (system) => {
      const before = await used();
      await ask(system, 'fill', { url, queues: ['bench'], count }).answer;
      return (await used()) - before;
    },
    { rounds: 1 },
  );
  const goals = [{ to: 'BullMQ' as const, atMost: 0.6 }];
  return [figureOf('memory of a waiting task', 'bytes', samples, (bytes) => bytes / count, goals)];
}
