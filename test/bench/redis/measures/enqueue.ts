import { ask } from '../ask.js';
import { interleaveLongEnough, type Bench } from '../bench.js';
import { figureOf, type Figure, type Goal } from '../figures.js';
import { cpuFigures } from './process.js';

const queue = 'bench';

const ways: { name: string; way: { awaiters: number } | { bulk: number }; tasks: number; goals: Goal[] }[] = [
  {
    name: '100 awaiters',
    way: { awaiters: 100 },
    tasks: 80_000,
    goals: [
      { to: 'bullmq', atLeast: 2.5 },
      { to: 'bee-queue', atLeast: 1 },
    ],
  },
  { name: 'one at a time', way: { awaiters: 1 }, tasks: 10_000, goals: [{ to: 'bullmq', atLeast: 1 }] },
  {
    name: 'bulk of 10,000',
    way: { bulk: 10_000 },
    tasks: 100_000,
    goals: [{ to: 'bullmq', atLeast: 3 }],
  },
];

export async function measureEnqueue(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, way, tasks, goals } of ways) {
    bench.say(`enqueueing, ${name}`);
    const warmUp = 'bulk' in way ? way.bulk : 5_000;
    const { samples, count } = await interleaveLongEnough(
      bench,
      tasks * bench.settings.share,
      (system, count) => ask(system, 'enqueue', { url: bench.url, queue, way, warmUp, count }).answer,
    );
    figures.push(
      figureOf(`enqueue, ${name}`, 'tasks/s', samples, ({ seconds }) => count / seconds, goals),
      ...cpuFigures(`10,000 enqueued, ${name}`, samples, count, 'awaiters' in way && way.awaiters > 1),
    );
  }
  return figures;
}
