import { Clock, type ClockTimer } from '../../lib/task/clock.js';
import type { Loop, World } from './world.js';

/** Time as one process sees it: its wall clock may be wrong, and its quartz is a little fast or slow. */
export class SimClock extends Clock {
  /** Timers that are set. */
  readonly timers = new Set<ClockTimer>();
  private readonly bornAt: number;

  constructor(
    private readonly world: World,
    private readonly loop: Loop,
    /** Milliseconds by which the wall clock is ahead. */
    public aheadMs: number,
    private readonly rate: number,
  ) {
    super();
    this.bornAt = world.now;
  }

  now(): number {
    return Math.round(this.world.now + this.aheadMs);
  }

  elapsed(): number {
    return (this.world.now - this.bornAt) * this.rate;
  }

  after(delayMs: number, wake: () => void): ClockTimer {
    const fire = () => {
      this.timers.delete(timer);
      wake();
    };
    // As in Node, whole milliseconds, and at least one: it may fire a moment early.
    const pending = this.world.after(Math.max(Math.trunc(delayMs), 1) / this.rate, fire, this.loop, 'timer');
    const timer = {
      cancel: () => {
        this.timers.delete(timer);
        pending.cancel();
      },
    };
    this.timers.add(timer);
    return timer;
  }
}

/** The store's own, which decides. */
export class StoreClock extends Clock {
  constructor(private readonly world: World) {
    super();
  }

  now(): number {
    return Math.floor(this.world.now);
  }

  elapsed(): number {
    return this.world.now;
  }

  after(): ClockTimer {
    throw new Error('the memory store sets no timers');
  }
}
