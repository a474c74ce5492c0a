import type { Clock } from '../task/clock.js';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** A store that does not answer is asked again after growing pauses. */
export class StoreOutage {
  private pauseMs = 0;
  private until = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** The store is left alone until then. */
  get pausedUntil(): number {
    return this.until;
  }

  get isPausing(): boolean {
    return this.clock.elapsed() < this.until;
  }

  /** Answers whether it has just begun. */
  failed(): boolean {
    const isFirst = this.pauseMs === 0;
    this.pauseMs = Math.min(this.pauseMs * 2 || firstPauseMs, longestPauseMs);
    this.until = this.clock.elapsed() + this.pauseMs;
    return isFirst;
  }

  answered(): void {
    this.pauseMs = 0;
  }
}
