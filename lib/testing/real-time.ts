import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { nextTurn } from '../task/turns.js';

const { setTimeout: after, clearTimeout } = timers;

/** Real milliseconds, for how long somebody has been waiting. */
export function realNow(): number {
  return performance.now();
}

/** Lets the event loop turn once: all promise callbacks of this moment are through by then. */
export function turn(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

/** Waits for as little as a timer can, so that what waits for the outside world need not share the processor with us. */
export function nap(): Promise<void> {
  return new Promise((resolve) => after(resolve, 1));
}

/** A timer that does not keep the process. */
export function realTimer(delayMs: number, wake: () => void): () => void {
  const timer = after(wake, delayMs).unref();
  return () => clearTimeout(timer);
}
