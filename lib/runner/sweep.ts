/**
 * The look at every queue that repairs a lost bell and takes up parked tasks of jobs that are known by now. One at the
 * start; a store whose bell cannot be lost needs no further one.
 */
export class Sweep {
  private nextAt = -Infinity;

  constructor(private readonly pauseMs: number) {}

  /** When the next one is due. */
  get at(): number {
    return this.nextAt;
  }

  /** Sweeps that were begun together must not go on together. */
  done(now: number): void {
    this.nextAt = now + this.pauseMs * (0.75 + Math.random() / 4);
  }
}
