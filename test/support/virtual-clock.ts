import { VirtualClock as StandingClock } from '../../lib/testing/virtual-clock.js';

/** The clock that applications under test have, moved by a test of ours that looks at single parts. */
export class VirtualClock extends StandingClock {
  // Of the store's time, which it stands for in most tests, nobody knows.
  override readonly mayJump = true;

  constructor(startsAt = Date.UTC(2030, 0, 1)) {
    super(startsAt);
  }

  /** Moves on by `ms`, firing timers at their own times; promise chains run dry before, between and after them. */
  async advance(ms: number): Promise<void> {
    const endsAt = this.now() + ms;
    await promisesRunDry();
    while (this.nextAt <= endsAt) {
      this.step();
      await promisesRunDry();
    }
    this.moveTo(endsAt);
  }

  /** Time passes, but no timer fires before the next `advance`: the event loop is blocked meanwhile. */
  block(ms: number): void {
    this.moveTo(this.now() + ms);
  }
}

// An immediate comes after all microtasks, however long their chain; a runner's step takes a few of both.
async function promisesRunDry(): Promise<void> {
  for (let turns = 0; turns < 8; turns++) await new Promise((resolve) => setImmediate(resolve));
}
