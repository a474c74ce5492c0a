import type { Clock } from '../task/clock.js';

/** Lets someone wait for a condition that others bring about, and not longer than a time. */
export class TurningPoint {
  private check: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly isReached: () => boolean,
  ) {}

  /** Something has changed. */
  changed(): void {
    this.check();
  }

  /** Whether it was reached in time. */
  within(ms: number): Promise<boolean> {
    if (this.isReached()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const answer = (isReached: boolean) => {
        this.check = () => undefined;
        timer.cancel();
        resolve(isReached);
      };
      const timer = this.clock.after(ms, () => answer(false));
      this.check = () => this.isReached() && answer(true);
    });
  }
}
