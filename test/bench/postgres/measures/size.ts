import { interleave } from '../../side-by-side/bench.js';
import { figureOf, type Figure } from '../../side-by-side/figures.js';
import { fixed } from '../../side-by-side/settings.js';
import type { PostgresBench } from '../postgres-bench.js';

const queues = ['bench'];

/** What waiting tasks take of the database, with their indexes; the same in every round. */
export async function measureSize(bench: PostgresBench): Promise<Figure[]> {
  const { url, ask, settings } = bench;
  const count = fixed(settings, 100_000);
  bench.say(`${count} waiting tasks in the database`);
  const samples = await interleave(
    bench,
    async (system) => {
      // The first ones make the schema.
      await ask(system, 'fill', { url, queues, count: 10 }).answer;
      const before = await bench.bytes();
      await ask(system, 'fill', { url, queues, count }).answer;
      return (await bench.bytes()) - before;
    },
    { rounds: 1 },
  );
  return [figureOf('size of a waiting task', 'bytes', samples, (bytes) => bytes / count)];
}
