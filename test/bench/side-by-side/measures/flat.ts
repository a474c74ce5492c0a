import type { Bench } from '../bench.js';
import type { Passed } from '../child/window.js';
import { median, type Figure } from '../figures.js';
import { ours as system } from '../system.js';

const queue = 'bench';
const warmUp = 5_000;
const dayMs = 86_400_000;

/** Our pace beside others: what grows with their number would show. Each store is a place of its own, kept over the rounds. */
export async function measureFlat(bench: Bench, tasks: number): Promise<Figure[]> {
  const { settings, ask } = bench;
  const many = settings.quick ? 200_000 : 1_000_000;
  const count = tasks * settings.share;
  await bench.empty();
  const plans = [
    { name: '1,000 others waiting', waiting: 1_000, scheduled: 0 },
    { name: `${many.toLocaleString('en-US')} others waiting`, waiting: many, scheduled: 0 },
    { name: `${many.toLocaleString('en-US')} scheduled for tomorrow`, waiting: 1_000, scheduled: many },
  ];
  const stores = [];
  for (const [index, plan] of plans.entries())
    stores.push({
      ...plan,
      url: await bench.place(index),
      paces: [] as number[],
      cpus: [] as number[],
    });

  for (const { name, url, waiting, scheduled } of stores) {
    bench.say(`flat cost: storing ${name}`);
    const at = Date.now() + dayMs;
    if (scheduled > 0) await ask(system, 'fill', { url, queue, count: scheduled, at }).answer;
    // Some more, for what a runner takes beyond the last task that counts.
    await ask(system, 'fill', { url, queue, count: waiting + warmUp }).answer;
  }
  bench.say('flat cost: processing');
  for (let round = 0; round < settings.rounds; round++) {
    for (let turn = 0; turn < stores.length; turn++) {
      const { url, paces, cpus } = stores[(round + turn) % stores.length]!;
      await ask(system, 'fill', { url, queue, count: warmUp + count }).answer;
      await bench.rest(url);
      const args = { url, queue, concurrency: 100, warmUp, count };
      const { seconds, nodeCpuSeconds, serverCpuSeconds }: Passed = await ask(system, 'handle', args).answer;
      paces.push(count / seconds);
      cpus.push(((nodeCpuSeconds + serverCpuSeconds) * 10_000) / count);
    }
  }
  await bench.empty();

  const base = median(stores[0]!.paces);
  const line = (work: string, unit: Figure['unit'], all: readonly number[]): Figure => ({
    work,
    unit,
    values: { [system]: median(all) },
    spread: { [system]: [Math.min(...all), Math.max(...all)] },
  });
  const shares = stores.slice(1).map(({ name, paces }) => ({
    work: `pace beside ${name}, to that beside 1,000`,
    unit: 'share' as const,
    values: { [system]: median(paces) / base },
    goals: [{ atLeast: 0.8 }],
  }));
  return [
    ...stores.map(({ name, paces }) => line(`process beside ${name}`, 'tasks/s', paces)),
    ...stores.map(({ name, cpus }) =>
      line(`node and server, 10,000 processed beside ${name}`, 'CPU-s', cpus),
    ),
    ...shares,
  ];
}
