import type { Passed } from '../child/window.js';
import { figureOf, type Figure } from '../figures.js';
import { lasting, type Settings } from '../settings.js';

export const idleQueues = Array.from({ length: 50 }, (_, index) => `bench-${index}`);

/** How long a process is left alone before it is watched, and how long it is watched. */
export function idleTimes(settings: Settings): { settleMs: number; watchMs: number } {
  return {
    settleMs: lasting(settings, { full: 3_000, quick: 3_000, tiny: 300 }),
    watchMs: lasting(settings, { full: 20_000, quick: 6_000, tiny: 1_000 }),
  };
}

/** CPU time of process and server in a second in which nothing happens. */
export function idleCpuFigures(samples: ReadonlyMap<string, readonly { passed: Passed }[]>): Figure[] {
  return [
    figureOf('idle with 50 queues, node', 'CPU-ms/s', samples, ({ passed }) =>
      perSecond(passed, 'nodeCpuSeconds'),
    ),
    figureOf('idle with 50 queues, server', 'CPU-ms/s', samples, ({ passed }) =>
      perSecond(passed, 'serverCpuSeconds'),
    ),
  ];
}

function perSecond(passed: Passed, whose: 'nodeCpuSeconds' | 'serverCpuSeconds'): number {
  return (passed[whose] * 1_000) / passed.seconds;
}
