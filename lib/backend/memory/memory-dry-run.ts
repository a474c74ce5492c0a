import type { NewTask } from '../../task/task-record.js';
import { isHeld, locksAtEnqueue } from './memory-locks.js';
import type { MemoryQueue } from './memory-queue.js';
import { MemoryTask } from './memory-task.js';

/** What the tasks of a group would make of a queue, without writing to it. */
export class MemoryDryRun {
  private readonly changed = new Map<string, MemoryTask>();
  private readonly holders = new Map<string, MemoryTask | undefined>();

  constructor(
    private readonly queue: MemoryQueue,
    private readonly now: number,
  ) {}

  /** Answers the holder of a lock over which the task would raise. */
  add(task: NewTask): string | undefined {
    const existing = this.changed.get(task.id) ?? this.queue.get(task.id, this.now);
    if (existing?.answerTo(task)) return undefined;
    const holder = locksAtEnqueue(task) ? this.holderOf(task.lock!.key) : undefined;
    if (!holder || holder.id === task.id) this.store(task, existing);
    else if (task.lock!.onConflict === 'raise') return holder.id;
    else if (holder.givesWayTo(task, existing))
      this.store({ ...task, id: holder.id, token: holder.given.token }, holder);
    return undefined;
  }

  private holderOf(key: string): MemoryTask | undefined {
    if (!this.holders.has(key)) return this.queue.locks.holderOf(key, this.now);
    const holder = this.holders.get(key);
    return holder && isHeld(holder, this.now) ? holder : undefined;
  }

  /** In the place of the one that had its id, whose lock is free then. */
  private store(task: NewTask, before: MemoryTask | undefined): void {
    const key = before?.lock?.key;
    if (key !== undefined && this.holderOf(key)?.id === task.id) this.holders.set(key, undefined);
    const stored = new MemoryTask(task, 0, this.now);
    this.changed.set(task.id, stored);
    if (locksAtEnqueue(task)) this.holders.set(task.lock!.key, stored);
  }
}
