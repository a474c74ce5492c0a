import os from 'node:os';
import type { About, Measured } from '../store.js';
import type { Bench } from './bench.js';
import type { Figure } from './figures.js';
import type { Settings } from './settings.js';

export type Measures<B> = Readonly<Record<string, (bench: B) => Promise<Figure[]>>>;

/** Makes the measures that are asked for, and tells what came out of each, and on what. */
export async function runMeasures<B extends Pick<Bench, 'settings'>>(
  bench: B,
  measures: Measures<B>,
  tellAbout: () => Promise<About>,
  made: (measured: Measured) => void,
): Promise<void> {
  const { only, systems, rounds } = bench.settings;
  for (const measure of only) {
    // What none of the libraries that were asked for can do has no values.
    const figures = (await measures[measure]!(bench)).filter(({ values }) => Object.keys(values).length > 0);
    const date = new Date().toISOString().slice(0, 10);
    // After the measure, for what is known only then.
    made({ measure, date, rounds, about: await tellAbout(), systems, figures });
  }
}

/** What all benchmarks say of how they measured. */
export function manner({ form }: Settings): string {
  return (
    `no-op handlers, payload of 100 bytes, finished tasks removed; interleaved rounds, ` +
    `a fresh process each, warmed up before the clock starts${form === 'full' ? '' : ` (${form}: too short to quote)`}`
  );
}

/** Model and cores: what figures depend on, and nothing that tells whose machine it is. */
export function machine(): string {
  const cpus = os.cpus();
  return `${cpus[0]!.model}, ${cpus.length} cores`;
}
