import type { Clock, ClockTimer } from '../task/clock.js';
import type { Attempt } from './attempt.js';

/** Attempts whose leases may end before the next renewal: their signals must abort in time, whatever else is waited for. */
export class Unrenewed {
  private readonly attempts = new Set<Attempt>();
  private timer: ClockTimer | undefined;

  constructor(
    private readonly clock: Clock,
    /** How long before the end of a lease. */
    private readonly marginMs: number,
    private readonly abort: () => void,
  ) {}

  get size(): number {
    return this.attempts.size;
  }

  has(attempt: Attempt): boolean {
    return this.attempts.has(attempt);
  }

  add(attempt: Attempt): void {
    this.attempts.add(attempt);
  }

  delete(attempt: Attempt): void {
    if (this.attempts.size > 0) this.attempts.delete(attempt);
  }

  /** To be called after changes. */
  watch(): void {
    this.timer?.cancel();
    const endsAt = earliestEnd(this.attempts);
    if (endsAt === Infinity) return;
    const delayMs = endsAt - this.marginMs - this.clock.elapsed();
    this.timer = this.clock.after(Math.max(delayMs, 0), this.abort);
  }

  stop(): void {
    this.timer?.cancel();
  }
}

/** When the first of these leases ends; what is lost has no end any more. */
export function earliestEnd(attempts: Iterable<Attempt>, except?: Unrenewed): number {
  let earliest = Infinity;
  for (const attempt of attempts)
    if (!except?.has(attempt) && !attempt.isLost) earliest = Math.min(earliest, attempt.leaseEndsAt);
  return earliest;
}
