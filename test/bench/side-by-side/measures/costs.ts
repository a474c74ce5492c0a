import type { Passed } from '../child/window.js';
import { figureOf, type Figure, type Goal } from '../figures.js';

type Samples = ReadonlyMap<string, readonly (Passed & { readonly count: number })[]>;

/** CPU time of the process and of the server for 10,000 tasks. */
export function cpuFigures(work: string, samples: Samples, goals: readonly Goal[] = []): Figure[] {
  const per = (count: number) => 10_000 / count;
  return [
    figureOf(`node, ${work}`, 'CPU-s', samples, ({ nodeCpuSeconds, count }) => nodeCpuSeconds * per(count)),
    figureOf(
      `server, ${work}`,
      'CPU-s',
      samples,
      ({ serverCpuSeconds, count }) => serverCpuSeconds * per(count),
    ),
    figureOf(
      `node and server, ${work}`,
      'CPU-s',
      samples,
      ({ nodeCpuSeconds, serverCpuSeconds, count }) => (nodeCpuSeconds + serverCpuSeconds) * per(count),
      goals,
    ),
  ];
}

/** What a server with a write-ahead log writes to it for one task. */
export function logFigures(work: string, samples: Samples): Figure[] {
  const hasLog = [...samples.values()].flat().some(({ logBytes }) => logBytes !== undefined);
  if (!hasLog) return [];
  return [
    figureOf(`log of a task ${work}`, 'bytes', samples, ({ logBytes, count }) => (logBytes ?? NaN) / count),
  ];
}
