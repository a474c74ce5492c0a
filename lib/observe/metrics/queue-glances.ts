import type { CatalogStore, QueueGlance } from '../../backend/catalog-store.js';
import type { Clock } from '../../task/clock.js';

/** So long one look serves all who ask. */
const freshMs = 5_000;
/** Whoever collects gives up about as soon. */
const longestLookMs = 5_000;
/** Of more queues, as of one for each customer, not all are looked at. */
export const mostQueues = 200;

/** What is to be seen of the queues, looked up only when it is asked for, and not too often. */
export class QueueGlances {
  private looking: Promise<readonly QueueGlance[] | undefined> | undefined;
  private lookedAt = -Infinity;

  constructor(
    private readonly backend: { readonly catalog: Pick<CatalogStore, 'queues' | 'glance'> },
    private readonly clock: Clock,
    /** The queues of this process's jobs: they come first. */
    private readonly known: () => readonly string[],
  ) {}

  /** Undefined where the store does not answer. */
  look(): Promise<readonly QueueGlance[] | undefined> {
    const now = this.clock.elapsed();
    if (!this.looking || now >= this.lookedAt + freshMs) {
      this.lookedAt = now;
      this.looking = this.bounded(this.ask());
    }
    return this.looking;
  }

  private async ask(): Promise<readonly QueueGlance[]> {
    const there = await this.backend.catalog.queues();
    const queues = [...new Set([...this.known(), ...there.toSorted()])].slice(0, mostQueues);
    return queues.length > 0 ? this.backend.catalog.glance(queues) : [];
  }

  private bounded<T>(answer: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const timer = this.clock.after(longestLookMs, () => resolve(undefined));
      answer.then(resolve, () => resolve(undefined)).finally(() => timer.cancel());
    });
  }
}
