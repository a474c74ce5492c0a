import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresFunctions } from './postgres-functions.js';

/** Between two batches, so that others have the disk in between. */
const pauseMs = 10;

/**
 * Has what is past its retention forgotten. A claim does so on its way, but takes no longer for it than for a batch; here it goes on
 * beside the claims until nothing is left, so that retention keeps up with whatever has run.
 */
export class Purging {
  private isUnderWay = false;

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly closed: AbortSignal,
  ) {}

  /** After a claim that has forgotten some. Nobody waits for it; what fails is made up for by the next one. */
  goOn(queues: readonly string[]): void {
    if (!this.isUnderWay && queues.length > 0) void this.purge(queues);
  }

  private async purge(queues: readonly string[]): Promise<void> {
    this.isUnderWay = true;
    try {
      while ((await this.functions.call('purge_v1', queues)) === true)
        await pause(pauseMs, undefined, { signal: this.closed });
    } catch {
      // The next claim that forgets some begins again.
    }
    this.isUnderWay = false;
  }
}
