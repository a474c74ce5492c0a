import type { Clock, ClockTimer } from '../task/clock.js';
import type { Attempt } from './attempt.js';

/** Attempts whose leases may end before the next renewal: their signals must abort in time, whatever else is waited for. */
export class Unrenewed {
  private readonly attempts = new Set<Attempt>();
  private timer: ClockTimer | undefined;
  /** The end before which that timer fires. */
  private nextEnd = Infinity;

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

  /** Many may come at once, and end at once: the timer is set for the first. */
  add(attempt: Attempt): void {
    this.attempts.add(attempt);
    if (attempt.leaseEndsAt < this.nextEnd) this.tellAfter(-Infinity);
  }

  delete(attempt: Attempt): void {
    if (this.attempts.size > 0) this.attempts.delete(attempt);
  }

  /** The others are renewed by somebody else. */
  keepOnly(left: readonly Attempt[]): void {
    if (this.attempts.size === 0) return;
    const kept = new Set(left);
    for (const attempt of this.attempts) if (!kept.has(attempt)) this.attempts.delete(attempt);
  }

  /** Some may have been renewed, and some of them may not: of further ones it says nothing. */
  change(unrenewed: Iterable<Attempt>, asked: readonly Attempt[]): void {
    for (const attempt of asked) this.delete(attempt);
    for (const attempt of unrenewed) this.attempts.add(attempt);
    this.tellAfter(-Infinity);
  }

  /** Those whose lease ends by then have been told: the next one has a later moment. */
  private tellAfter(toldUpTo: number): void {
    this.timer?.cancel();
    let endsAt = Infinity;
    for (const attempt of this.attempts)
      if (!attempt.isLost && attempt.leaseEndsAt > toldUpTo) endsAt = Math.min(endsAt, attempt.leaseEndsAt);
    this.nextEnd = endsAt;
    if (endsAt === Infinity) return;
    const delayMs = endsAt - this.marginMs - this.clock.elapsed();
    this.timer = this.clock.after(Math.max(delayMs, 0), () => {
      this.abort();
      this.tellAfter(Math.max(endsAt, this.clock.elapsed() + this.marginMs));
    });
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
