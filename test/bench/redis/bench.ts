import type { Redis } from 'ioredis';
import type { Settings } from './settings.js';
import { systemNames, type SystemName } from './system.js';

/** What every measure has at hand. */
export interface Bench {
  readonly url: string;
  readonly admin: Redis;
  readonly settings: Settings;
  say(text: string): void;
}

/** A round is worth its figure from here on. */
const shortestSeconds = 0.5;

/** One sample of each library in turn, round by round; who begins goes round, too. The server is empty before each. */
export async function interleave<S>(
  bench: Bench,
  sample: (system: SystemName) => Promise<S>,
  { rounds = bench.settings.rounds, systems = systemNames as readonly SystemName[] } = {},
): Promise<Map<SystemName, S[]>> {
  const samples = new Map<SystemName, S[]>(systems.map((system) => [system, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < systems.length; turn++) {
      const system = systems[(round + turn) % systems.length]!;
      await bench.admin.flushall('SYNC');
      samples.get(system)!.push(await sample(system));
    }
  }
  await bench.admin.flushall('SYNC');
  return samples;
}

/** As `interleave`, with more tasks for all where a round of any was too short to mean anything. */
export async function interleaveLongEnough<S extends { readonly seconds: number }>(
  bench: Bench,
  tasks: number,
  sample: (system: SystemName, count: number) => Promise<S>,
): Promise<{ samples: Map<SystemName, S[]>; count: number }> {
  for (let count = tasks; ; count *= 2) {
    let isLongEnough = true;
    const samples = await interleave(bench, async (system) => {
      // The rest of a measure that is made again need not be made now.
      if (!isLongEnough) return undefined as never;
      const made = await sample(system, count);
      isLongEnough = made.seconds >= shortestSeconds;
      return made;
    });
    if (isLongEnough) return { samples, count };
    bench.say(`a round of ${count} tasks took less than ${shortestSeconds} s: again with twice as many`);
  }
}
