import type { Lease } from '../task/outcome.js';

/** A claim that finds a lease ended is answered within seconds: so many runs do not end late meanwhile. */
const most = 1_000;

/**
 * Runs of this runner that were told of, though their leases may have ended before that. A claim that found one so may be
 * answered later still: what it says of the run is no news, and may not even be true any more.
 */
export class ToldEnds {
  private readonly told = new Set<string>();

  add(run: Lease): void {
    this.told.add(nameOf(run));
    if (this.told.size <= most) return;
    const [oldest] = this.told;
    this.told.delete(oldest!);
  }

  has(run: Lease): boolean {
    return this.told.has(nameOf(run));
  }
}

function nameOf({ queue, id, epoch }: Lease): string {
  return JSON.stringify([queue, id, epoch]);
}
