import type { Acted, Backend } from '../backend/backend.js';
import type { HeldLock, LockRef } from '../backend/held-lock.js';
import type { LockPhase, TaskRecord, TaskRef } from '../task/task-record.js';
import { readLimit } from './queue-walk.js';
import type { Page } from './task-catalog.js';

/** The unique lock of a task, whether that task holds it, another one, or none. */
export interface LockInfo extends LockRef {
  /** When this task holds it. */
  readonly phase: LockPhase;
}

/** Some of the locks of a queue. */
export interface LocksPage {
  readonly locks: HeldLock[];
  /** There may be more: the next page goes on here. */
  readonly next?: string;
}

/** Reading and freeing the locks in the store. */
export class LockCatalog {
  constructor(
    private readonly backend: Backend,
    private readonly find: (name: string | TaskRef) => Promise<TaskRecord | undefined>,
  ) {}

  async list(queue: string, { limit, after }: Page): Promise<LocksPage> {
    const page = await this.backend.catalog.locks(queue, { limit: readLimit('locks', limit), after });
    return page.after === undefined ? { locks: page.locks } : { locks: page.locks, next: page.after };
  }

  async of(name: string | TaskRef): Promise<LockInfo | undefined> {
    const task = await this.find(name);
    if (!task?.lock) return undefined;
    const { queue, lock } = task;
    const held = await this.backend.catalog.lock({ queue, key: lock.key });
    return { queue, key: lock.key, phase: lock.phase, holder: held?.holder };
  }

  async release(name: string | TaskRef | LockRef): Promise<Acted> {
    if (typeof name !== 'string' && 'key' in name) return (await this.free(name)) ? 'done' : 'missing';
    const task = await this.find(name);
    if (!task) return 'missing';
    const { queue, id, lock } = task;
    // What this task does not hold is another's, and stays.
    return lock && (await this.free({ queue, key: lock.key, holder: id })) ? 'done' : 'left';
  }

  private free({ queue, key, holder }: LockRef): Promise<boolean> {
    return this.backend.catalog.releaseLock({ queue, key, holder });
  }
}
