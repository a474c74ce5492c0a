import type { Bench } from '../bench.js';
import type { Passed } from '../child/window.js';
import { median, ownFigure, type Figure } from '../figures.js';
import { counted, fixed, type Settings } from '../settings.js';
import { ours as system } from '../system.js';

const queues = ['bench'];
const dayMs = 86_400_000;

interface Plan {
  readonly name: string;
  readonly waiting: number;
  readonly scheduled: number;
}

interface Store extends Plan {
  readonly url: string;
  /** Of each round. */
  readonly paces: number[];
  readonly cpus: number[];
}

/** Our pace beside others: what grows with their number would show. Each store is a place of its own, kept over the rounds. */
export async function measureFlat(bench: Bench, tasks: number): Promise<Figure[]> {
  const { settings, ask } = bench;
  const [count, warmUp] = [counted(settings, tasks), fixed(settings, 5_000)];
  await bench.empty();
  const stores: Store[] = [];
  for (const [index, plan] of plansFor(settings).entries())
    stores.push({ ...plan, url: await bench.place(index), paces: [], cpus: [] });

  for (const { name, url, waiting, scheduled } of stores) {
    bench.say(`flat cost: storing ${name}`);
    const at = Date.now() + dayMs;
    if (scheduled > 0) await ask(system, 'fill', { url, queues, count: scheduled, at }).answer;
    // Some more, for what a runner takes beyond the last task that counts.
    await ask(system, 'fill', { url, queues, count: waiting + warmUp }).answer;
  }
  bench.say('flat cost: processing');
  for (let round = 0; round < settings.rounds; round++) {
    for (let turn = 0; turn < stores.length; turn++) {
      const { url, paces, cpus } = stores[(round + turn) % stores.length]!;
      await ask(system, 'fill', { url, queues, count: warmUp + count }).answer;
      await bench.rest(url);
      const args = { url, queues, concurrency: 100, warmUp, count };
      const { seconds, nodeCpuSeconds, serverCpuSeconds }: Passed = await ask(system, 'handle', args).answer;
      paces.push(count / seconds);
      cpus.push(((nodeCpuSeconds + serverCpuSeconds) * 10_000) / count);
    }
  }
  await bench.empty();

  const base = median(stores[0]!.paces);
  return [
    ...stores.map(({ name, paces }) => ownFigure(`process beside ${name}`, 'tasks/s', paces)),
    ...stores.map(({ name, cpus }) =>
      ownFigure(`node and server, 10,000 processed beside ${name}`, 'CPU-s', cpus),
    ),
    ...stores.slice(1).map(({ name, paces }) => ({
      work: `pace beside ${name}, to that beside ${stores[0]!.waiting.toLocaleString('en-US')}`,
      unit: 'share' as const,
      values: { [system]: median(paces) / base },
      goals: [{ atLeast: 0.8 }],
    })),
  ];
}

function plansFor(settings: Settings): Plan[] {
  const few = fixed(settings, 1_000);
  const sizes = { full: [100_000, 1_000_000], quick: [200_000], tiny: [1_000] }[settings.form];
  const written = (size: number) => size.toLocaleString('en-US');
  return [
    { name: `${written(few)} others waiting`, waiting: few, scheduled: 0 },
    ...sizes.map((size) => ({ name: `${written(size)} others waiting`, waiting: size, scheduled: 0 })),
    ...sizes.map((size) => ({
      name: `${written(size)} scheduled for tomorrow`,
      waiting: few,
      scheduled: size,
    })),
  ];
}
