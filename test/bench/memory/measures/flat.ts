import { median, ownFigure, type Figure } from '../../side-by-side/figures.js';
import { counted, type Settings } from '../../side-by-side/settings.js';
import { ours } from '../../side-by-side/system.js';
import { MemoryApp } from '../memory-app.js';
import { roundsOf, timed, type MemoryBench } from '../memory-bench.js';

const dayMs = 86_400_000;
const lastPriority = 1_000;
const tasks = 20_000;

/** Enqueueing and processing beside others: what grows with their number would show. */
export async function measureFlat(bench: MemoryBench): Promise<Figure[]> {
  const count = counted(bench.settings, tasks);
  const plans = plansFor(bench.settings);
  const paces: number[][] = [];
  for (const { name, size, isScheduled } of plans) {
    bench.say(`flat cost: beside ${name}`);
    const rounds = await MemoryApp.with({}, async (app) => {
      await app.fill(size, isScheduled ? { at: new Date(Date.now() + dayMs) } : { priority: lastPriority });
      return roundsOf(bench, async () => {
        const round = await timed(count, async () => {
          await app.enqueueBy(100, count, 'plain');
          await app.run(count);
        });
        await app.runner.stop();
        return round;
      });
    });
    paces.push(rounds.map(({ pace }) => pace));
  }
  const base = median(paces[0]!);
  return [
    ...plans.map(({ name }, index) =>
      ownFigure(`enqueue and process beside ${name}`, 'tasks/s', paces[index]!),
    ),
    ...plans.slice(1).map(({ name }, index) => ({
      work: `pace beside ${name}, to that beside ${plans[0]!.name}`,
      unit: 'share' as const,
      values: { [ours]: median(paces[index + 1]!) / base },
      goals: [{ atLeast: 0.8 }],
    })),
  ];
}

function plansFor({ form }: Settings) {
  const [few, ...many] = {
    full: [1_000, 100_000, 1_000_000] as const,
    quick: [1_000, 200_000] as const,
    tiny: [10, 1_000] as const,
  }[form];
  const plan = (size: number, isScheduled: boolean) => ({
    name: `${size.toLocaleString('en-US')} ${isScheduled ? 'scheduled for tomorrow' : 'waiting'}`,
    size,
    isScheduled,
  });
  return [
    plan(few, false),
    ...many.map((size) => plan(size, false)),
    ...many.map((size) => plan(size, true)),
  ];
}
