import { interleaveLongEnough, type Bench } from '../bench.js';
import { figureOf, type Figure, type Goal } from '../figures.js';
import { counted, fixed } from '../settings.js';
import { cpuFigures, logFigures } from './costs.js';

const queue = 'bench';

export interface EnqueueWay {
  readonly name: string;
  readonly way: { awaiters: number } | { bulk: number };
  readonly tasks: number;
  readonly goals: readonly Goal[];
  /** For the CPU time of process and server. */
  readonly cpuGoals?: readonly Goal[];
}

export async function measureEnqueue(bench: Bench, ways: readonly EnqueueWay[]): Promise<Figure[]> {
  const { url, settings, ask } = bench;
  const figures: Figure[] = [];
  for (const { name, way: asked, tasks, goals, cpuGoals } of ways) {
    bench.say(`enqueueing, ${name}`);
    const way = 'bulk' in asked ? { bulk: fixed(settings, asked.bulk) } : asked;
    const warmUp = 'bulk' in way ? way.bulk : Math.min(fixed(settings, 5_000), tasks);
    const samples = await interleaveLongEnough(
      bench,
      counted(settings, tasks),
      (system, count) => ask(system, 'enqueue', { url, queue, way, warmUp, count }).answer,
    );
    figures.push(
      figureOf(`enqueue, ${name}`, 'tasks/s', samples, ({ count, seconds }) => count / seconds, goals),
      ...cpuFigures(`10,000 enqueued, ${name}`, samples, cpuGoals),
      ...logFigures(`enqueued, ${name}`, samples),
    );
  }
  return figures;
}
