/** A timer that can be called off. */
export interface ClockTimer {
  cancel(): void;
}

/**
 * Time as this process sees it. Only local timers use it; leases, delays and slots follow the store's clock.
 * It is a class so that it can be injected, and replaced in a test, by its own name.
 */
export abstract class Clock {
  /** Whether the wall clock may be set, or the machine sleep, while a timer is waited for. */
  readonly mayJump: boolean = true;
  /** Milliseconds since the epoch, as the wall clock has them: it may jump. */
  abstract now(): number;
  /** Milliseconds since some moment, never running back: for deadlines and durations. */
  abstract elapsed(): number;
  /** Calls `wake` once, no sooner than `delayMs` from now. */
  abstract after(delayMs: number, wake: () => void): ClockTimer;
}

// setTimeout fires at once when asked for more.
const longestTimerMs = 2 ** 31 - 1;

export class SystemClock extends Clock {
  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return performance.now();
  }

  after(delayMs: number, wake: () => void): ClockTimer {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      const isLong = leftMs > longestTimerMs;
      timer = isLong
        ? setTimeout(() => wait(leftMs - longestTimerMs), longestTimerMs)
        : setTimeout(wake, leftMs);
    };
    wait(Math.max(delayMs, 0));
    return { cancel: () => clearTimeout(timer) };
  }
}
