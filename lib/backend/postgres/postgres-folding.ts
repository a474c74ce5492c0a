import type { PostgresFunctions } from './postgres-functions.js';

const everyMs = 2_000;

/**
 * Has what tasks have moved added to the counters. Runners have it done once a second; this is for processes that only enqueue, so that
 * it does not pile up where no runner runs.
 */
export class Folding {
  private nextAt = performance.now() + everyMs;

  constructor(private readonly functions: PostgresFunctions) {}

  /** It is being done. */
  isDone(): void {
    this.nextAt = performance.now() + everyMs;
  }

  /** After something was added. Nobody waits for it; what fails is made up for by the next one. */
  soon(): void {
    if (performance.now() < this.nextAt) return;
    this.isDone();
    this.functions.call('fold_v1', {}).catch(() => undefined);
  }
}
