import type { Settings } from '../side-by-side/settings.js';

/** What every measure has at hand: all happens in this process. */
export interface MemoryBench {
  readonly settings: Settings;
  say(text: string): void;
}

/** What was measured in one round. */
export interface Round {
  readonly pace: number;
  /** For 10,000 tasks. */
  readonly cpuSeconds: number;
}

/** Rounds of one kind; the first warms up and does not count. */
export async function roundsOf<R>({ settings }: MemoryBench, round: () => Promise<R>): Promise<R[]> {
  await round();
  const made: R[] = [];
  for (let n = 0; n < settings.rounds; n++) made.push(await round());
  return made;
}

/** How fast a piece of work is that handles so many tasks. */
export async function timed(count: number, work: () => Promise<unknown>): Promise<Round> {
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { pace: count / seconds, cpuSeconds: ((user + system) / 1e6 / count) * 10_000 };
}
