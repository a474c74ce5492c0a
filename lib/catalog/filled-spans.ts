import type { RunCounts, RunsInSpan } from '../backend/stats-store.js';

/** What runs did in a minute or an hour. */
export interface SpanInfo extends RunCounts {
  /** The beginning of the minute or hour, by the store's clock. */
  readonly at: Date;
}

export const noRuns: RunCounts = Object.freeze({
  succeeded: 0,
  failed: 0,
  dead: 0,
  cancelled: 0,
  lost: 0,
  runMs: 0,
  waitMs: 0,
});

/** The latest `count` spans up to the present one, oldest first; those in which nothing happened with zeros. */
export function filledSpans(
  spans: readonly RunsInSpan[],
  now: number,
  spanMs: number,
  count: number,
): SpanInfo[] {
  const startOf = (at: number) => Math.floor(at / spanMs) * spanMs;
  const known = new Map(spans.map((span) => [startOf(span.at), span]));
  // A span may have begun since the store was asked for its time.
  const last = Math.max(startOf(now), ...known.keys());
  return Array.from({ length: count }, (_, index) => {
    const at = last - (count - 1 - index) * spanMs;
    return { ...noRuns, ...known.get(at), at: new Date(at) };
  });
}

/** Counts of several spans, queues or jobs together. */
export function sumOfRuns(all: readonly RunCounts[]): RunCounts {
  const sum = { ...noRuns } as Record<keyof RunCounts, number>;
  for (const one of all) for (const key of Object.keys(noRuns) as (keyof RunCounts)[]) sum[key] += one[key];
  return sum;
}

/** How long a run that ended in success or failure took, and how long its task had waited. */
export function meansOf({ succeeded, failed, runMs, waitMs }: RunCounts) {
  const runs = succeeded + failed;
  return runs === 0 ? {} : { meanRunMs: runMs / runs, meanWaitMs: waitMs / runs };
}
