import type { LockRef } from '../held-lock.js';
import type { MemoryTask } from './memory-task.js';

/**
 * The unique locks of one queue. A lock is no more than the name of its holder: it is valid while that task is in the
 * lock's phase, so no crash and no clock can leave one behind.
 */
export class MemoryLocks {
  private readonly holders = new Map<string, MemoryTask>();

  /** Of all that are kept, also of tasks that have let their time to live pass. */
  keys(): string[] {
    return [...this.holders.keys()];
  }

  /** The task that holds a lock. */
  holderOf(key: string, now: number): MemoryTask | undefined {
    const holder = this.holders.get(key);
    return holder?.lock && isHeld(holder, now) ? holder : undefined;
  }

  /** The id of another task that holds this task's lock, if any; else the lock is this task's from now on. */
  take(task: MemoryTask, now: number): string | undefined {
    if (!task.lock) return undefined;
    const holder = this.holderOf(task.lock.key, now);
    if (holder && holder !== task) return holder.id;
    this.hold(task);
    return undefined;
  }

  /** Gives the task its lock, which no other task holds. */
  hold(task: MemoryTask): void {
    this.holders.set(task.lock!.key, task);
  }

  /** Frees the task's lock, unless another task has taken it since. */
  free(task: MemoryTask): void {
    if (task.lock && this.holders.get(task.lock.key) === task) this.holders.delete(task.lock.key);
  }

  /** Takes a lock from the task that holds it. */
  release({ key, holder: expected }: LockRef, now: number): boolean {
    const holder = this.holderOf(key, now);
    if (!holder || (expected ?? holder.id) !== holder.id) return false;
    return this.holders.delete(key);
  }

  /** What a claim does to the locks; answers the holder that stands in the way of the run. */
  claimed(task: MemoryTask, now: number): string | undefined {
    switch (task.lock?.phase) {
      case 'until_executing':
        this.free(task);
        return undefined;
      case 'while_executing':
        return this.take(task, now);
      case 'until_executed':
        // Freed by the failure of an earlier run: taken again where it is free, and run either way.
        if (task.failures > 0) this.take(task, now);
        return undefined;
      default:
        return undefined;
    }
  }
}

/** Whether a task still has the lock that it took: a time to live counts until its first run. */
export function isHeld({ lock, hasStarted, dueAt }: MemoryTask, now: number): boolean {
  return hasStarted || lock?.ttlMs === undefined || dueAt + lock.ttlMs > now;
}

/** Whether a lock of this task is held from its enqueue on. */
export function locksAtEnqueue(task: { lock?: MemoryTask['lock'] }): boolean {
  return task.lock !== undefined && task.lock.phase !== 'while_executing';
}
