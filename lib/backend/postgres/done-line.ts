import type { Settled, Settlement } from '../../task/outcome.js';

interface Waiting {
  readonly done: readonly Settlement[];
  readonly resolve: (settled: Settled[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Longer than a disk takes that is well. */
const patienceMs = 250;

/**
 * Successes on their way to the disk. One commit is under way at a time, and what comes meanwhile goes together in the next:
 * a disk needs as long for one as for hundreds, and two at once only wait for one another. One that is not answered soon
 * keeps nobody waiting: its connection may be half open.
 */
export class DoneLine {
  private waiting: Waiting[] = [];
  private isUnderWay = false;

  constructor(private readonly settle: (done: readonly Settlement[]) => Promise<Settled[]>) {}

  add(done: readonly Settlement[]): Promise<Settled[]> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ done, resolve, reject });
      if (!this.isUnderWay) this.send();
    });
  }

  private send(): void {
    const batch = this.waiting;
    this.waiting = [];
    this.isUnderWay = true;
    let isAwaited = true;
    const next = () => {
      if (!isAwaited) return;
      isAwaited = false;
      clearTimeout(timer);
      this.isUnderWay = false;
      if (this.waiting.length > 0) this.send();
    };
    const timer = setTimeout(next, patienceMs);
    void this.commit(batch, next);
  }

  private async commit(batch: readonly Waiting[], over: () => void): Promise<void> {
    try {
      const settled = await this.settle(
        batch.length === 1 ? batch[0]!.done : batch.flatMap(({ done }) => done),
      );
      let from = 0;
      for (const { done, resolve } of batch) resolve(settled.slice(from, (from += done.length)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    over();
  }
}
