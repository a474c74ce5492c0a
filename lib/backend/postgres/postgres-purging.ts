import { setTimeout as pause } from 'node:timers/promises';
import type { Folding } from './postgres-folding.js';
import type { PostgresFunctions } from './postgres-functions.js';

const everyMs = 1_000;
/** Between two batches, so that others have the disk in between. */
const pauseMs = 10;

/**
 * Has what is past its retention forgotten, and what claims and moves have left behind cleared away, beside the claims: none of them
 * takes longer for it. It goes on until nothing is left that is past its retention, so that this keeps up with whatever has run.
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
    this.isUnderWay = true;
    const asked = new Set<string>();
    try {
      for (let hasMore = true; hasMore;) {
        // Also those that were asked for tasks meanwhile.
        for (const queue of this.queues) asked.add(queue);
        this.queues.clear();
        hasMore =
          (await this.functions.call('purge_v1', { queues: [...asked], remember: this.rememberMs })) === true;
        if (hasMore) await pause(pauseMs, undefined, { signal: this.closed });
      }
    } catch {
      // The next claim begins again, with these.
      for (const queue of asked) this.queues.add(queue);
    }
    this.isUnderWay = false;
  }
}
