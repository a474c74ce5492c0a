import type { Acted, Backend } from '../backend/backend.js';
import type { LockPage, LockRef } from '../backend/held-lock.js';
import type { LockPhase, TaskRecord, TaskRef } from '../task/task-record.js';

/** The unique lock of a task, whether that task holds it, another one, or none. */
export interface LockInfo extends LockRef {
  /** When this task holds it. */
  readonly phase: LockPhase;
}

/** Reading and freeing the locks in the store. */
export class LockCatalog {
  constructor(
    private readonly backend: Backend,
    private readonly find: (name: string | TaskRef) => Promise<TaskRecord | undefined>,
  ) {}

  list(queue: string, page: { limit: number; after?: string }): Promise<LockPage> {
    return this.backend.catalog.locks(queue, page);
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
