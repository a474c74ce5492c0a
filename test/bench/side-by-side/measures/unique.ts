import type { Bench } from '../bench.js';
import { median, ownFigure, type Figure } from '../figures.js';
import { counted } from '../settings.js';
import { ours as system } from '../system.js';

const queue = 'bench';
const awaiters = 100;
const turns = 8;

/**
 * What a lock costs at enqueue: unique tasks, each with a key of its own, beside plain ones, so many in each turn. Nobody
 * else has the like.
 */
export async function measureUnique(bench: Bench, tasks: number): Promise<Figure[]> {
  const { url, ask, settings, say } = bench;
  say('enqueueing unique tasks');
  const count = counted(settings, tasks);
  const costs: number[] = [];
  const paces = { plain: [] as number[], unique: [] as number[] };
  for (let round = 0; round < settings.rounds; round++) {
    await bench.empty();
    const seconds = await ask(system, 'enqueueUnique', { url, queue, awaiters, turns, count }).answer;
    const [plain, unique] = [median(seconds.plain), median(seconds.unique)];
    costs.push(unique / plain);
    paces.plain.push(count / plain);
    paces.unique.push(count / unique);
  }
  await bench.empty();
  return [
    ownFigure('enqueue, 100 awaiters, plain, in turns with unique', 'tasks/s', paces.plain),
    ownFigure('enqueue, 100 awaiters, unique', 'tasks/s', paces.unique),
    ownFigure('cost of a unique enqueue, to a plain one', 'share', costs, [{ atMost: 1.5 }]),
  ];
}
