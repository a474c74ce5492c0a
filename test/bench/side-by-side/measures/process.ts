import { interleaveLongEnough, type Bench } from '../bench.js';
import type { Passed } from '../child/window.js';
import { figureOf, type Figure, type Goal } from '../figures.js';
import { cpuFigures, logFigures } from './costs.js';

const queue = 'bench';
/** Tasks that still wait when the clock stops. */
const behind = 5_000;

/** Tasks that run before the clock starts: half as many as are counted, so that what is measured has been compiled by then. */
function warmUpFor(count: number): number {
  return Math.max(5_000, Math.ceil(count / 2));
}

export interface Load {
  readonly concurrency: number;
  readonly tasks: number;
  readonly goals: readonly Goal[];
  /** For the CPU time of process and server. */
  readonly cpuGoals?: readonly Goal[];
}

/** Tasks that were stored before are handled by one process. */
export async function handleStored(
  bench: Bench,
  system: string,
  concurrency: number,
  count: number,
  url = bench.url,
): Promise<Passed> {
  const warmUp = warmUpFor(count);
  await bench.ask(system, 'fill', { url, queue, count: warmUp + count + behind }).answer;
  await bench.rest(url);
  return bench.ask(system, 'handle', { url, queue, concurrency, warmUp, count }).answer;
}

export async function measureProcess(bench: Bench, loads: readonly Load[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { concurrency, tasks, goals, cpuGoals } of loads) {
    bench.say(`processing at concurrency ${concurrency}`);
    const samples = await interleaveLongEnough(bench, tasks * bench.settings.share, (system, count) =>
      handleStored(bench, system, concurrency, count),
    );
    const at = `concurrency ${concurrency}`;
    figures.push(
      figureOf(`process, ${at}`, 'tasks/s', samples, ({ count, seconds }) => count / seconds, goals),
      ...cpuFigures(`10,000 processed, ${at}`, samples, cpuGoals),
      ...logFigures(`processed, ${at}`, samples),
    );
  }
  return figures;
}
