import type { PostgresFunctions } from './postgres-functions.js';

/**
 * The queues that this process has made known to the database. In a statement of its own, before anything is put into them:
 * inside a caller's transaction a new queue would keep all others from it until that ends.
 */
export class KnownQueues {
  private readonly known = new Set<string>();

  constructor(private readonly functions: PostgresFunctions) {}

  async know(queues: readonly string[], withinMs?: number): Promise<void> {
    const fresh = [...new Set(queues)].filter((queue) => !this.known.has(queue)).sort();
    if (fresh.length === 0) return;
    await this.functions.call('know_v1', fresh, withinMs);
    for (const queue of fresh) this.known.add(queue);
  }
}
