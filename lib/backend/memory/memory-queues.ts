import type { BackendSettings } from '../backend.js';
import type { MemoryBell } from './memory-bell.js';
import type { LostRun } from './memory-lost-run.js';
import { MemoryQueue } from './memory-queue.js';

/** The queues of a store, made when something is first put into them. */
export class MemoryQueues {
  private readonly queues = new Map<string, MemoryQueue>();
  /** Runs that were found lost, until they are counted. */
  readonly lost: LostRun[] = [];
  settings: BackendSettings = {
    prefix: 'jobs',
    deadKeepMs: 86_400_000,
    cancelledKeepMs: 86_400_000,
    enqueueTimeoutMs: 5_000,
  };

  constructor(readonly bell: MemoryBell) {}

  get(name: string): MemoryQueue {
    const queue = this.look(name);
    this.queues.set(name, queue);
    return queue;
  }

  /** For reading: a queue that nobody has used is not kept for having been looked at. */
  look(name: string): MemoryQueue {
    return this.queues.get(name) ?? new MemoryQueue(name, this);
  }

  names(): string[] {
    return [...this.queues.values()]
      .filter((queue) => queue.hasHeldTasks || queue.hasHeldSchedules)
      .map(({ name }) => name);
  }
}
