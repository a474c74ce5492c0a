import { toMs, type Duration } from '../task/duration.js';

const usualBytes = 256_000_000;

/** How much of the store one call may read. */
export interface ScanBounds {
  readonly rows: number;
  readonly ms: number;
  /** @default 256 MB */
  readonly bytes?: number;
}

/** The bounds of a call whose caller does not want to wait as long. */
export function boundsWithin(call: string, bounds: ScanBounds, within: Duration | undefined): ScanBounds {
  return within === undefined ? bounds : { ...bounds, ms: toMs(within, { where: call, option: 'within' }) };
}

/** What is left of the bounds of a call. Every call may read once, so that each gets further than the one before. */
export class ScanBudget {
  private readonly endsAt: number;
  private rows: number;
  private bytes: number;
  private hasRead = false;

  constructor(
    bounds: ScanBounds,
    private readonly elapsed: () => number = () => performance.now(),
  ) {
    this.rows = bounds.rows;
    this.bytes = bounds.bytes ?? usualBytes;
    this.endsAt = elapsed() + bounds.ms;
  }

  spend({ rows, bytes }: { rows: number; bytes: number }): void {
    this.hasRead = true;
    this.rows -= rows;
    this.bytes -= bytes;
  }

  get isSpent(): boolean {
    return this.hasRead && (this.rows <= 0 || this.bytes <= 0 || this.elapsed() >= this.endsAt);
  }
}
