import type { Clock } from '../../task/clock.js';
import type { TaskRecord, TaskRef, TaskState } from '../../task/task-record.js';
import type { Acted, CatalogStore, PageRequest, QueueGlance, SeenTask, TaskPage } from '../catalog-store.js';
import type { HeldLock, LockPage, LockRef } from '../held-lock.js';
import { byArrival } from './memory-lines.js';
import { locksAtEnqueue } from './memory-locks.js';
import { stop } from './memory-outcomes.js';
import { countDue, oldestDueAt, pageOf } from './memory-pages.js';
import type { MemoryQueue } from './memory-queue.js';
import type { MemoryQueues } from './memory-queues.js';
import type { MemoryTask } from './memory-task.js';

export class MemoryCatalog implements CatalogStore {
  constructor(
    private readonly store: MemoryQueues,
    private readonly clock: Clock,
  ) {}

  async get({ queue, id }: TaskRef): Promise<TaskRecord | undefined> {
    return this.store.look(queue).get(id, this.clock.now())?.record();
  }

  async list(queue: string, state: TaskState, page: PageRequest): Promise<TaskPage> {
    const { lines } = this.purged(queue);
    return pageOf(state === 'pending' ? byArrival(lines.pending) : lines[state], state, page);
  }

  async counts(queue: string): Promise<Record<TaskState, number>> {
    return countsOf(this.purged(queue));
  }

  async glance(queues: readonly string[]): Promise<QueueGlance[]> {
    const now = this.clock.now();
    return queues.map((name) => {
      const queue = this.purged(name);
      const { waiting, scheduled } = queue.lines;
      // What has fallen due waits, also where no claim has come by.
      const dueAt = Math.min(oldestDueAt(waiting), scheduled.peek()?.dueAt ?? Infinity);
      return {
        queue: name,
        counts: countsOf(queue),
        depth: waiting.size + countDue(scheduled, now),
        oldestWaitingMs: dueAt <= now ? now - dueAt : undefined,
        pausedForMs: queue.pausedUntil > now ? queue.pausedUntil - now : undefined,
      };
    });
  }

  async queues(): Promise<string[]> {
    return this.store.names();
  }

  async retry(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.each(refs, (task, queue, now) => {
      if (task.state !== 'dead' && task.state !== 'cancelled' && task.state !== 'parked') return 'left';
      const holder = locksAtEnqueue(task) && task.lock ? queue.locks.holderOf(task.lock.key, now) : undefined;
      if (holder && holder !== task) return 'taken';
      queue.restart(task, now);
      if (locksAtEnqueue(task)) queue.locks.take(task, now);
      return 'done';
    });
  }

  async cancel(refs: readonly SeenTask[]): Promise<(Acted | 'requested')[]> {
    return this.each<Acted | 'requested'>(refs, (task, queue, now) => stop(queue, task, 'cancelled', now));
  }

  async remove(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.each(refs, (task, queue) => {
      if (task.state === 'pending') return 'left';
      queue.remove(task);
      return 'done';
    });
  }

  async runNow(refs: readonly SeenTask[]): Promise<Acted[]> {
    return this.each(refs, (task, queue, now) => {
      if (task.state !== 'scheduled') return 'left';
      queue.postpone(task, 0, now);
      return 'done';
    });
  }

  async pause(queue: string, forMs = Infinity): Promise<void> {
    // A runner that sleeps learns when the pause ends.
    this.pauseUntil(queue, this.clock.now() + forMs);
  }

  async resume(queue: string): Promise<void> {
    this.pauseUntil(queue, 0);
  }

  async isPaused(queue: string): Promise<boolean> {
    return this.store.look(queue).pausedUntil > this.clock.now();
  }

  async lock({ queue, key, holder }: LockRef): Promise<HeldLock | undefined> {
    const lock = this.held(queue, key);
    return holder === undefined || holder === lock?.holder ? lock : undefined;
  }

  async locks(queue: string, { limit, after = '' }: { limit: number; after?: string }): Promise<LockPage> {
    const { locks } = this.store.look(queue);
    const keys = locks
      .keys()
      .filter((key) => key > after)
      .sort();
    const held = keys.map((key) => this.held(queue, key)).filter((lock) => lock !== undefined);
    const page = held.slice(0, limit);
    return page.length < held.length ? { locks: page, after: page.at(-1)?.key } : { locks: page };
  }

  async releaseLock(ref: LockRef): Promise<boolean> {
    return this.store.look(ref.queue).locks.release(ref, this.clock.now());
  }

  private held(queue: string, key: string): HeldLock | undefined {
    const holder = this.store.look(queue).locks.holderOf(key, this.clock.now());
    return holder && { queue, key, holder: holder.id, phase: holder.lock!.phase };
  }

  private pauseUntil(queue: string, at: number): void {
    this.store.get(queue).pausedUntil = at;
    this.store.bell.ring(queue);
    this.store.bell.ringForSchedules(queue);
  }

  private purged(name: string): MemoryQueue {
    const queue = this.store.look(name);
    // A reader must not see what is past its time, however much that is.
    queue.purge(this.clock.now(), Infinity);
    return queue;
  }

  private each<A>(
    refs: readonly SeenTask[],
    act: (task: MemoryTask, queue: MemoryQueue, now: number) => A,
  ): (A | 'missing' | 'left')[] {
    const now = this.clock.now();
    return refs.map(({ queue: name, id, state }) => {
      const queue = this.store.look(name);
      const task = queue.get(id, now);
      if (!task) return 'missing';
      return state === undefined || state === task.state ? act(task, queue, now) : 'left';
    });
  }
}

function countsOf({ lines }: MemoryQueue): Record<TaskState, number> {
  return {
    scheduled: lines.scheduled.size,
    waiting: lines.waiting.size,
    pending: lines.pending.size,
    succeeded: lines.succeeded.size,
    dead: lines.dead.size,
    cancelled: lines.cancelled.size,
    parked: lines.parked.size,
  };
}
