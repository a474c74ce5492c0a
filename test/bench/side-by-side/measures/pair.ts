import { interleaveLongEnough, type Bench } from '../bench.js';
import type { Mark } from '../child/beside.js';
import { figureOf, type Figure } from '../figures.js';
import { counted, fixed } from '../settings.js';
import { behind, warmUpFor } from './process.js';

const queue = 'bench';
const concurrency = 100;
const processes = 2;

/** Two processes handle one queue: the pace of both together. */
export async function measurePair(bench: Bench, tasks: number): Promise<Figure[]> {
  bench.say('two processes on one queue');
  const samples = await interleaveLongEnough(bench, counted(bench.settings, tasks), (system, count) =>
    handleTogether(bench, system, count),
  );
  return [
    figureOf(`process, concurrency ${concurrency}, two processes`, 'tasks/s', samples, ({ pace }) => pace),
  ];
}

async function handleTogether(
  { settings, ask, rest, url }: Bench,
  system: string,
  count: number,
): Promise<{ pace: number; seconds: number }> {
  const warmUp = warmUpFor(settings, count);
  const stored = warmUp + count + fixed(settings, behind);
  await ask(system, 'fill', { url, queues: [queue], count: stored }).answer;
  await rest(url);
  const step = fixed(settings, 100);
  const asked = Array.from({ length: processes }, () =>
    ask(system, 'handleBeside', { url, queue, concurrency, step }),
  );
  // Where nothing is left for one, nothing is left for the other.
  await Promise.race(asked.map(({ answer }) => answer));
  for (const { enough } of asked) enough();
  return paceOf(await Promise.all(asked.map(({ answer }) => answer)), {
    from: warmUp,
    to: warmUp + count,
    isTogether: settings.form !== 'tiny',
  });
}

/**
 * The pace of all processes together, between the moments when they had handled so many; where it matters not before each of
 * them is at work, and none at all where they were never at work together.
 */
export function paceOf(
  marks: readonly (readonly Mark[])[],
  { from, to, isTogether }: { from: number; to: number; isTogether: boolean },
): { pace: number; seconds: number } {
  const togetherAt = isTogether ? Math.max(...marks.map(([first]) => first?.[0] ?? Infinity)) : 0;
  const latest = marks.map(() => 0);
  const steps = marks.flatMap((all, process) => all.map(([at, handled]) => ({ at, handled, process })));
  const line = steps
    .sort((a, b) => a.at - b.at)
    .map(({ at, handled, process }) => {
      latest[process] = handled;
      return { at, handled: latest.reduce((a, b) => a + b) };
    });
  const begin = line.find(({ at, handled }) => handled >= from && at >= togetherAt);
  const end = line.findLast(({ handled }) => handled <= to);
  if (!begin || !end || end.at <= begin.at) return { pace: 0, seconds: 0 };
  const seconds = (end.at - begin.at) / 1_000;
  return { seconds, pace: (end.handled - begin.handled) / seconds };
}
