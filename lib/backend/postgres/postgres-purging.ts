import { setTimeout as pause } from 'node:timers/promises';
import type { Folding } from './postgres-folding.js';
import type { PostgresFunctions } from './postgres-functions.js';

const everyMs = 1_000;
/** Between two batches, so that others have the disk in between. */
const pauseMs = 10;

/**
 * Has what is past its retention forgotten, and what claims and moves have left behind cleared away, beside the claims: none of them
 * takes longer for it. It goes on until nothing is left, so that retention keeps up with whatever has run.
 */
export class Purging {
  /** Those that were asked for tasks since it was last done. */
  private readonly queues = new Set<string>();
  private nextAt = 0;
  private isUnderWay = false;

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly folding: Folding,
    /** How long an add is known again. */
    private readonly rememberMs: number,
    private readonly closed: AbortSignal,
  ) {}

  /** After a claim, about once a second. Nobody waits for it; what fails is made up for by the next one. */
  soon(queues: readonly { readonly queue: string }[]): void {
    for (const { queue } of queues) this.queues.add(queue);
    if (this.isUnderWay || performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + everyMs;
    this.folding.isDone();
    void this.purge();
  }

  private async purge(): Promise<void> {
    const queues = [...this.queues];
    this.queues.clear();
    this.isUnderWay = true;
    try {
      while ((await this.functions.call('purge_v1', { queues, remember: this.rememberMs })) === true)
        await pause(pauseMs, undefined, { signal: this.closed });
    } catch {
      // The next claim begins again.
    }
    this.isUnderWay = false;
  }
}
