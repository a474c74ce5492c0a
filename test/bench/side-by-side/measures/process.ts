import { interleaveLongEnough, without, type Bench } from '../bench.js';
import type { Passed } from '../child/window.js';
import { figureOf, type Figure, type Goal } from '../figures.js';
import { counted, fixed, type Settings } from '../settings.js';
import { cpuFigures, logFigures } from './costs.js';

/** Tasks that still wait when the clock stops. */
export const behind = 5_000;

/** Tasks that run before the clock starts: half as many as are counted, so that what is measured has been compiled by then. */
export function warmUpFor(settings: Settings, count: number): number {
  return Math.max(fixed(settings, 5_000), Math.ceil(count / 2));
}

export interface Load {
  readonly concurrency: number;
  readonly tasks: number;
  readonly goals: readonly Goal[];
  /** For the CPU time of process and server. */
  readonly cpuGoals?: readonly Goal[];
  /** Libraries that have no way to work like that. */
  readonly notFor?: readonly string[];
}

/** Tasks that were stored before are handled by one process. */
export async function handleStored(
  { settings, ask, rest, url }: Bench,
  system: string,
  concurrency: number,
  count: number,
  queues: readonly string[] = ['bench'],
): Promise<Passed> {
  const warmUp = warmUpFor(settings, count);
  await ask(system, 'fill', { url, queues, count: warmUp + count + fixed(settings, behind) }).answer;
  await rest(url);
  return ask(system, 'handle', { url, queues, concurrency, warmUp, count }).answer;
}

export async function measureProcess(bench: Bench, loads: readonly Load[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  // Two are enough to show that it runs.
  const some = bench.settings.form === 'tiny' ? loads.slice(-2) : loads;
  for (const { concurrency, tasks, goals, cpuGoals, notFor = [] } of some) {
    bench.say(`processing at concurrency ${concurrency}`);
    const samples = await interleaveLongEnough(
      without(bench, ...notFor),
      counted(bench.settings, tasks),
      (system, count) => handleStored(bench, system, concurrency, count),
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
