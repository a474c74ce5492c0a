import type { BackendSettings } from '../backend.js';
import { MemoryQueue } from './memory-queue.js';

/** The queues of a store, made when first named. */
export class MemoryQueues {
  private readonly queues = new Map<string, MemoryQueue>();
  settings: BackendSettings = { prefix: 'jobs', deadKeepMs: 86_400_000, cancelledKeepMs: 86_400_000 };

  get(name: string): MemoryQueue {
    let queue = this.queues.get(name);
    if (!queue) this.queues.set(name, (queue = new MemoryQueue(name, this.settings)));
    return queue;
  }

  names(): string[] {
    return [...this.queues.values()].filter((queue) => queue.hasHeldTasks).map(({ name }) => name);
  }
}
