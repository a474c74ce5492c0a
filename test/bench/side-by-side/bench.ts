import type { Ask } from './ask.js';
import type { Settings } from './settings.js';

/** What every measure has at hand. */
export interface Bench {
  /** Where the tasks are, but for measures that ask for places of their own. */
  readonly url: string;
  readonly settings: Settings;
  readonly ask: Ask;
  /** Leaves nothing in the server, neither there nor elsewhere. */
  empty(): Promise<void>;
  /** The address of another empty place on the same server, until the next `empty`. */
  place(number: number): Promise<string>;
  /** Lets the server see to what was stored, before the clock starts. */
  rest(url?: string): Promise<void>;
  say(text: string): void;
}

/** A round is worth its figure from here on. */
const shortestSeconds = 0.5;

/** The same without some of the libraries, for what they do not have, or have alike. */
export function without<B extends Bench>(bench: B, ...names: readonly string[]): B {
  const systems = bench.settings.systems.filter((system) => !names.includes(system));
  return { ...bench, settings: { ...bench.settings, systems } };
}

/** One sample of each library in turn, round by round; who begins goes round, too. The server is empty before each. */
export async function interleave<S>(
  bench: Bench,
  sample: (system: string) => Promise<S>,
  { rounds = bench.settings.rounds, systems = bench.settings.systems } = {},
): Promise<Map<string, S[]>> {
  const samples = new Map<string, S[]>(systems.map((system) => [system, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < systems.length; turn++) {
      const system = systems[(round + turn) % systems.length]!;
      await bench.empty();
      samples.get(system)!.push(await sample(system));
    }
  }
  await bench.empty();
  return samples;
}

/** As `interleave`; a sample that was too short to mean anything is made again with twice the tasks. */
export async function interleaveLongEnough<S extends { readonly seconds: number }>(
  bench: Bench,
  tasks: number,
  sample: (system: string, count: number) => Promise<S>,
  systems = bench.settings.systems,
): Promise<Map<string, (S & { readonly count: number })[]>> {
  const counts = new Map<string, number>();
  const least = bench.settings.form === 'tiny' ? 0 : shortestSeconds;
  return interleave(
    bench,
    async (system) => {
      for (let count = counts.get(system) ?? tasks; ; count *= 2) {
        const made = await sample(system, count);
        if (made.seconds >= least) return { ...made, count };
        bench.say(`${count} tasks took ${system} less than ${least} s: again with twice as many`);
        counts.set(system, count * 2);
        await bench.empty();
      }
    },
    { systems },
  );
}
