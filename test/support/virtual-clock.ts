import { Clock, type ClockTimer } from '../../lib/task/clock.js';

interface VirtualTimer {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test advances it. */
export class VirtualClock extends Clock {
  #now: number;
  readonly #timers = new Set<VirtualTimer>();

  constructor(startsAt = Date.UTC(2030, 0, 1)) {
    super();
    this.#now = startsAt;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(delayMs: number, wake: () => void): ClockTimer {
    const timer = { at: this.#now + Math.max(delayMs, 0), wake };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Moves on by `ms`, firing timers at their own times; promise chains run dry before, between and after them. */
  async advance(ms: number): Promise<void> {
    const endsAt = this.#now + ms;
    await promisesRunDry();
    for (let timer = this.#next(endsAt); timer; timer = this.#next(endsAt)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.wake();
      await promisesRunDry();
    }
    this.#now = endsAt;
  }

  /** Time passes, but no timer fires before the next `advance`: the event loop is blocked meanwhile. */
  block(ms: number): void {
    this.#now += ms;
  }

  #next(until: number): VirtualTimer | undefined {
    let next: VirtualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    }
    return next;
  }
}

// An immediate comes after all microtasks, however long their chain; a runner's step takes a few of both.
async function promisesRunDry(): Promise<void> {
  for (let turns = 0; turns < 8; turns++) await new Promise((resolve) => setImmediate(resolve));
}
