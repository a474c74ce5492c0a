import { ask } from '../ask.js';
import { interleaveLongEnough, type Bench } from '../bench.js';
import type { Passed } from '../child/window.js';
import { figureOf, type Figure, type Goal } from '../figures.js';
import type { SystemName } from '../system.js';

const queue = 'bench';
/** Tasks that run before the clock starts, and that still wait when it stops. */
const around = 5_000;

const loads = [
  { concurrency: 1, tasks: 8_000, toBullmq: 1.25 },
  { concurrency: 10, tasks: 30_000, toBullmq: 2 },
  { concurrency: 100, tasks: 50_000, toBullmq: 3 },
  { concurrency: 1_000, tasks: 80_000, toBullmq: 4 },
];

/** Tasks that were stored before are handled by one process. */
export async function handleStored(
  url: string,
  system: SystemName,
  concurrency: number,
  count: number,
): Promise<Passed> {
  await ask(system, 'fill', { url, queue, count: count + 2 * around }).answer;
  return ask(system, 'handle', { url, queue, concurrency, warmUp: around, count }).answer;
}

export async function measureProcess(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { concurrency, tasks, toBullmq } of loads) {
    bench.say(`processing at concurrency ${concurrency}`);
    const { samples, count } = await interleaveLongEnough(
      bench,
      tasks * bench.settings.share,
      (system, count) => handleStored(bench.url, system, concurrency, count),
    );
    const goals: Goal[] = [
      { to: 'bullmq', atLeast: toBullmq },
      { to: 'bee-queue', atLeast: 1 },
    ];
    const at = `concurrency ${concurrency}`;
    figures.push(
      figureOf(`process, ${at}`, 'tasks/s', samples, ({ seconds }) => count / seconds, goals),
      ...cpuFigures(`10,000 processed, ${at}`, samples, count, concurrency === 100),
    );
  }
  return figures;
}

/** CPU time of the process and of the server for 10,000 tasks. */
export function cpuFigures(
  work: string,
  samples: ReadonlyMap<SystemName, readonly Passed[]>,
  count: number,
  isGoal: boolean,
): Figure[] {
  const per = 10_000 / count;
  const goals: Goal[] = isGoal ? [{ to: 'bullmq', atMost: 1 / 3 }] : [];
  return [
    figureOf(`node, ${work}`, 'CPU-s', samples, ({ nodeCpuSeconds }) => nodeCpuSeconds * per),
    figureOf(`server, ${work}`, 'CPU-s', samples, ({ serverCpuSeconds }) => serverCpuSeconds * per),
    figureOf(
      `node and server, ${work}`,
      'CPU-s',
      samples,
      ({ nodeCpuSeconds, serverCpuSeconds }) => (nodeCpuSeconds + serverCpuSeconds) * per,
      goals,
    ),
  ];
}
