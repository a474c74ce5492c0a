import type { Bench } from './bench.js';
import type { Figure } from './figures.js';
import { printReport } from './report.js';
import type { Settings } from './settings.js';

export type Measures<B extends Bench> = Readonly<Record<string, (bench: B) => Promise<Figure[]>>>;

/** Makes the measures that are asked for, and prints what came out, and on what. */
export async function runMeasures<B extends Bench>(
  bench: B,
  measures: Measures<B>,
  tellAbout: () => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  const { only, systems, json } = bench.settings;
  const figures: Figure[] = [];
  for (const name of only) figures.push(...(await measures[name]!(bench)));
  // After the measures, for what is known only then.
  const about = await tellAbout();
  if (json) {
    console.log(JSON.stringify({ ...about, figures }, undefined, 2));
    return;
  }
  for (const [what, value] of Object.entries(about)) console.log(`- ${what}: ${value}`);
  printReport(figures, systems);
}

/** What all benchmarks say of how they measured. */
export function manner({ rounds, quick }: Settings): string {
  return (
    `no-op handlers, payload of 100 bytes, finished tasks removed; ` +
    `${rounds} interleaved round${rounds > 1 ? 's' : ''}${quick ? ' (quick: too short to quote)' : ''}, a fresh process each, warmed up before the clock starts`
  );
}
