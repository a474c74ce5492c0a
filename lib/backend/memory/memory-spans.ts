import type { RunCounts, RunsInSpan } from '../stats-store.js';

/** Counts by spans of the clock, as far back as they are of use. */
export class MemorySpans {
  private readonly spans = new Map<number, RunsInSpan>();

  constructor(
    private readonly spanMs: number,
    private readonly keptMs: number,
  ) {}

  add(counts: RunCounts, now: number): void {
    const at = now - (now % this.spanMs);
    const span = this.spans.get(at);
    // With each new one an old one may go.
    if (!span) this.forget(now);
    this.spans.set(at, { at, ...addCounts(span, counts) });
  }

  /** Oldest first: a clock that was set back may have added an older one last. */
  latest(now: number): RunsInSpan[] {
    this.forget(now);
    return [...this.spans.values()].sort((a, b) => a.at - b.at);
  }

  private forget(now: number): void {
    for (const at of this.spans.keys()) if (at <= now - this.keptMs) this.spans.delete(at);
  }
}

export function addCounts(a: RunCounts | undefined, b: RunCounts): RunCounts {
  return {
    succeeded: (a?.succeeded ?? 0) + b.succeeded,
    failed: (a?.failed ?? 0) + b.failed,
    dead: (a?.dead ?? 0) + b.dead,
    cancelled: (a?.cancelled ?? 0) + b.cancelled,
    lost: (a?.lost ?? 0) + b.lost,
    runMs: (a?.runMs ?? 0) + b.runMs,
    waitMs: (a?.waitMs ?? 0) + b.waitMs,
  };
}
