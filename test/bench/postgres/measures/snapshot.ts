import { figureOf, percentile, type Figure } from '../../side-by-side/figures.js';
import { interleave } from '../../side-by-side/bench.js';
import { handleStored } from '../../side-by-side/measures/process.js';
import { counted, lasting } from '../../side-by-side/settings.js';
import { ours } from '../../side-by-side/system.js';
import { flatTasks, snapshotShare } from '../asked.js';
import type { PostgresBench } from '../postgres-bench.js';

const queue = 'bench';
const perSecond = 1_000;
const concurrency = 100;

interface Sample {
  /** Tasks per second that were run while so many came in. */
  readonly kept: number;
  /** Milliseconds from call to run in the last third. */
  readonly lastDelays: readonly number[];
  /** Tasks per second right after it, of tasks that wait. */
  readonly pace: number;
}

/**
 * Work at a steady pace beside a transaction that holds its snapshot: nothing that is deleted meanwhile can be cleaned away.
 * Then, with the snapshot still open, as much as there can be.
 */
export async function measureSnapshot(bench: PostgresBench): Promise<Figure[]> {
  const { settings } = bench;
  const seconds = lasting(settings, { full: 60, quick: 10, tiny: 1 });
  const rounds = Math.min(settings.rounds, 3);
  const systems = settings.systems.filter((system) => system === ours || system === 'graphile tuned');
  const sampled = async (isHeld: boolean) => {
    bench.say(`${perSecond} a second for ${seconds} s ${isHeld ? 'beside' : 'without'} an open snapshot`);
    return interleave(bench, (system) => sample(bench, system, seconds, isHeld), { rounds, systems });
  };
  const [without, beside] = [await sampled(false), await sampled(true)];
  const all = [
    { name: 'no snapshot open', samples: without },
    { name: `a snapshot open for ${seconds} s`, samples: beside },
  ];
  const paces = all.map(({ name, samples }) =>
    figureOf(`process, concurrency ${concurrency}, ${name}`, 'tasks/s', samples, ({ pace }) => pace),
  );
  return [
    ...all.map(({ name, samples }) =>
      figureOf(`${perSecond} a second come in, ${name}`, 'tasks/s', samples, ({ kept }) => kept),
    ),
    ...all.map(({ name, samples }) =>
      figureOf(`call to run at ${perSecond} a second, ${name}, p99`, 'ms', samples, ({ lastDelays }) =>
        percentile(lastDelays, 99),
      ),
    ),
    ...paces,
    shareOf('pace beside an open snapshot, to that without', paces[1]!, paces[0]!),
  ];
}

async function sample(
  bench: PostgresBench,
  system: string,
  seconds: number,
  isHeld: boolean,
): Promise<Sample> {
  const { url, ask, settings } = bench;
  const hearing = ask(system, 'hear', { url, queue, concurrency });
  await hearing.ready;
  const snapshot = isHeld ? await bench.holdSnapshot() : undefined;
  await ask(system, 'supply', { url, queue, perSecond, seconds }).answer;
  hearing.enough();
  const delays = await hearing.answer;
  const count = counted(settings, flatTasks);
  const { seconds: passed } = await handleStored(bench, system, concurrency, count);
  await snapshot?.end();
  return {
    kept: Math.min(perSecond, delays.length / seconds),
    lastDelays: delays.slice(Math.floor((delays.length * 2) / 3)),
    pace: count / passed,
  };
}

function shareOf(work: string, figure: Figure, to: Figure): Figure {
  const values = Object.fromEntries(
    Object.entries(figure.values).map(([system, value]) => [system, value / to.values[system]!]),
  );
  return { work, unit: 'share', values, goals: [{ atLeast: snapshotShare }] };
}
