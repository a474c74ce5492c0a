import { setTimeout as pause } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ownFigure, type Figure } from '../../side-by-side/figures.js';
import { lasting } from '../../side-by-side/settings.js';
import { idleQueues, idleTimes } from '../../side-by-side/measures/idle.js';
import { MemoryApp } from '../memory-app.js';
import { roundsOf, type MemoryBench } from '../memory-bench.js';

/** What waiting tasks take of the heap. */
export async function measureMemory(bench: MemoryBench): Promise<Figure[]> {
  // Fewer would be lost in what else comes and goes.
  const count = lasting(bench.settings, { full: 100_000, quick: 100_000, tiny: 20_000 });
  bench.say(`${count} waiting tasks in memory`);
  const used = usedAfterCollection();
  const rounds = await roundsOf(bench, () =>
    MemoryApp.with({}, async (app) => {
      const before = used();
      await app.fill(count);
      return (used() - before) / count;
    }),
  );
  return [ownFigure('memory of a waiting task', 'bytes', rounds)];
}

/** What an idle runner does: nothing, so neither CPU time nor timers. */
export async function measureIdle(bench: MemoryBench): Promise<Figure[]> {
  bench.say('50 idle queues');
  const { settleMs, watchMs } = idleTimes(bench.settings);
  const ms = await MemoryApp.with({ queues: idleQueues }, async (app) => {
    await app.runner.start();
    await pause(settleMs);
    const before = process.cpuUsage();
    await pause(watchMs);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return [ownFigure('idle with 50 queues, node', 'CPU-ms/s', [(ms * 1_000) / watchMs])];
}

function usedAfterCollection(): () => number {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}
