import { VirtualClock } from '../support/virtual-clock.js';

/** Hours in seconds first, then as time goes. */
export class StageClock extends VirtualClock {
  private timer: NodeJS.Timeout | undefined;

  /** From now on it keeps up with the real one. */
  follow(): void {
    let isBusy = false;
    this.timer = setInterval(() => {
      const behind = Date.now() - this.now();
      if (isBusy || behind <= 0) return;
      isBusy = true;
      void this.advance(behind).finally(() => (isBusy = false));
    }, 50);
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
