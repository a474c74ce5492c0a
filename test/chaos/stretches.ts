import type { HistoryEvent } from '../history/history-event.js';

/** Some time of a round. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

type Lasting = Extract<HistoryEvent, { forMs: number }>;

/** When these things went on. */
export function stretchesOf(history: readonly HistoryEvent[], types: readonly Lasting['type'][]): Stretch[] {
  return history.flatMap((event) =>
    (types as readonly string[]).includes(event.type)
      ? [{ from: event.at, to: event.at + (event as Lasting).forMs }]
      : [],
  );
}

/** The same times, as few stretches as can be: what is no further apart than the gap is one. */
export function joined(stretches: readonly Stretch[], gapMs = 0): Stretch[] {
  const found: Stretch[] = [];
  for (const next of stretches.toSorted((one, other) => one.from - other.from)) {
    const last = found.at(-1);
    if (last && next.from <= last.to + gapMs)
      found.splice(-1, 1, { from: last.from, to: Math.max(last.to, next.to) });
    else found.push(next);
  }
  return found;
}

export function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** What of these times lies within a stretch. */
export function within(stretches: readonly Stretch[], { from, to }: Stretch): Stretch[] {
  return stretches
    .map((one) => ({ from: Math.max(one.from, from), to: Math.min(one.to, to) }))
    .filter((one) => one.to > one.from);
}
