import type { ClockTimer } from '../../lib/task/clock.js';
import { VirtualClock } from './virtual-clock.js';

/** Knows which of its timers are set: what has ended must have left none. */
export class CountingClock extends VirtualClock {
  readonly timers = new Set<ClockTimer>();

  override after(delayMs: number, wake: () => void): ClockTimer {
    const real = super.after(delayMs, () => {
      this.timers.delete(timer);
      wake();
    });
    const timer = {
      cancel: () => {
        this.timers.delete(timer);
        real.cancel();
      },
    };
    this.timers.add(timer);
    return timer;
  }
}
