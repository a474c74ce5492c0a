import type { Clock, ClockTimer } from '../task/clock.js';

/**
 * One renewal at a time, shared by whoever asks meanwhile. One that gets no answer counts as failed while there is still
 * time to send another.
 */
export class SharedRenewal {
  private underway: Promise<void> | undefined;
  private patience: ClockTimer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly renew: () => Promise<void>,
    private readonly patienceMs: () => number,
  ) {}

  ask(): Promise<void> {
    this.underway ??= this.answered(this.renew()).finally(() => (this.underway = undefined));
    return this.underway;
  }

  stop(): void {
    this.patience?.cancel();
  }

  private answered(renewal: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error('the store does not answer'));
      // One that was given up may still be answered, and must then leave the next one's alone.
      const patience = (this.patience = this.clock.after(this.patienceMs(), giveUp));
      renewal.then(resolve, reject).finally(() => patience.cancel());
    });
  }
}
