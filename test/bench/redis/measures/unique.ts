import { median, type Figure } from '../../side-by-side/figures.js';
import type { RedisBench } from '../redis-bench.js';

const system = 'nestjs-jobs';
const queue = 'bench';
const awaiters = 100;
const turns = 8;

/** What a lock costs at enqueue: unique tasks, each with a key of its own, beside plain ones. Nobody else has the like. */
export async function measureUnique({ url, admin, ask, settings, say }: RedisBench): Promise<Figure[]> {
  say('enqueueing unique tasks');
  const count = 20_000 * settings.share;
  const costs: number[] = [];
  const paces = { plain: [] as number[], unique: [] as number[] };
  for (let round = 0; round < settings.rounds; round++) {
    await admin.flushall('SYNC');
    const seconds = await ask(system, 'enqueueUnique', { url, queue, awaiters, turns, count }).answer;
    const [plain, unique] = [median(seconds.plain), median(seconds.unique)];
    costs.push(unique / plain);
    paces.plain.push(count / plain);
    paces.unique.push(count / unique);
  }
  await admin.flushall('SYNC');
  const line = (work: string, unit: Figure['unit'], all: readonly number[]): Figure => ({
    ...{ work, unit, values: { [system]: median(all) } },
    spread: { [system]: [Math.min(...all), Math.max(...all)] },
  });
  return [
    line('enqueue, 100 awaiters, plain, in turns with unique', 'tasks/s', paces.plain),
    line('enqueue, 100 awaiters, unique', 'tasks/s', paces.unique),
    { ...line('cost of a unique enqueue, to a plain one', 'share', costs), goals: [{ atMost: 1.5 }] },
  ];
}
