import { setTimeout as pause } from 'node:timers/promises';
import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import type { RedisBench } from '../redis-bench.js';

const count = 100_000;

/** What waiting tasks take of the server's memory; the same in every round. */
export async function measureMemory(bench: RedisBench): Promise<Figure[]> {
  bench.say(`${count} waiting tasks in memory`);
  const { url, admin, ask } = bench;
  const used = async () => {
    // Tables that grew are moved, and buffers of connections freed, some moments later.
    await pause(1_000);
    return Number(/^used_memory:(\d+)/m.exec(await admin.info('memory'))![1]);
  };
  const samples = await interleave(
    bench,
    async (system) => {
      const before = await used();
      await ask(system, 'fill', { url, queue: 'bench', count }).answer;
      return (await used()) - before;
    },
    { rounds: 1 },
  );
  const goals = [{ to: 'BullMQ' as const, atMost: 0.6 }];
  return [figureOf('memory of a waiting task', 'bytes', samples, (bytes) => bytes / count, goals)];
}
