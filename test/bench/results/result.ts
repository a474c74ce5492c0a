import type { Measured, StoreName } from '../store.js';

/** What is kept of a store: of each measure the latest run, with its own day, rounds and machine. */
export interface Result {
  readonly store: StoreName;
  readonly measures: Readonly<Record<string, Kept>>;
}
export type Kept = Omit<Measured, 'measure'>;

/** Figures are kept with so many digits: what is beyond them is noise for certain. */
const digits = 6;

/** A measure that was made again takes the place of its older run; the others stay. In the order of the store's measures. */
export function merge(
  { store, measures }: Result,
  made: readonly Measured[],
  order: readonly string[],
): Result {
  const all = new Map(Object.entries(measures));
  for (const { measure, ...kept } of made) all.set(measure, kept);
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return {
    store,
    measures: Object.fromEntries([...all].sort(([a], [b]) => place(a) - place(b))),
  };
}

/** As text, the same for the same figures. */
export function written(result: Result): string {
  const short = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(digits)) : value;
  return `${JSON.stringify(result, short, 2)}\n`;
}

/** What differs from measure to measure, and is kept, but not quoted. */
export const notQuoted = ['disk'];

/** All figures of a store, measure by measure. */
export function figuresOf({ measures }: Result) {
  return Object.values(measures).flatMap(({ figures }) => figures);
}

/** What was measured anywhere, ours first, in the order of the latest lists. */
export function systemsOf({ measures }: Result): string[] {
  const named = new Set<string>();
  const longestFirst = Object.values(measures).sort((a, b) => b.systems.length - a.systems.length);
  for (const { systems, figures } of longestFirst)
    for (const system of systems)
      if (figures.some(({ values }) => values[system] !== undefined)) named.add(system);
  return [...named];
}

/** What a reader has to know of the figures: when and how often they were measured, and on what, but for what is left out. */
export function originsOf({ measures }: Result, leftOut: readonly string[] = []): string[] {
  const all = Object.entries(measures);
  const grouped = (read: (kept: Kept) => string | undefined) => {
    const groups = new Map<string, string[]>();
    for (const [name, kept] of all) {
      const text = read(kept);
      if (text !== undefined) groups.set(text, [...(groups.get(text) ?? []), name]);
    }
    return [...groups];
  };
  const runs = grouped(({ date, rounds }) => `${date}, ${rounds} round${rounds === 1 ? '' : 's'}`);
  const lines = [`measured: ${runs.map(([run, names]) => `${names.join(', ')} on ${run}`).join('; ')}`];
  for (const what of new Set(all.flatMap(([, { about }]) => Object.keys(about)))) {
    if (leftOut.includes(what)) continue;
    const groups = grouped(({ about }) => about[what]);
    const isOne = groups.length === 1;
    lines.push(
      `${what}: ${groups.map(([text, names]) => (isOne ? text : `${text} (${names.join(', ')})`)).join('; ')}`,
    );
  }
  return lines;
}
