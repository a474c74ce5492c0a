import { Injectable } from '@nestjs/common';
import { behindId } from './behind-id.js';
import { LockCatalog, type LockInfo } from './lock-catalog.js';
import { ScheduleCatalog } from './schedule-catalog.js';
import type { ScheduleInfo } from './schedule-info.js';
import type { Acted, Backend } from '../backend/backend.js';
import type { LockPage, LockRef } from '../backend/held-lock.js';
import type { JobRegistry } from '../job/job-registry.js';
import { toMs, type Duration } from '../task/duration.js';
import type { TaskRecord, TaskRef, TaskState } from '../task/task-record.js';

/** A task by queue and id, or by its id alone: every known queue is then asked. */
export type TaskName = string | TaskRef;

/** Reading and steering the tasks in the store. */
@Injectable()
export class JobCatalog {
  private readonly ofSchedules: ScheduleCatalog;
  private readonly ofLocks: LockCatalog;

  /** @internal */
  constructor(
    private readonly backend: Backend,
    private readonly registry: JobRegistry,
  ) {
    this.ofSchedules = new ScheduleCatalog(backend, () => this.queues());
    this.ofLocks = new LockCatalog(backend, (name) => this.task(name));
  }

  /** A task as the store holds it, with its params as JSON text, its state and its errors. */
  async task(name: TaskName): Promise<TaskRecord | undefined> {
    if (typeof name !== 'string') return this.backend.catalog.get(name);
    for (const queue of await this.queues()) {
      const task = await this.backend.catalog.get({ queue, id: name });
      if (task) return task;
    }
    return undefined;
  }

  /** The tasks of a queue in one state, in the order in which they are worked off. */
  tasks(
    queue: string,
    state: TaskState,
    page: { limit?: number; after?: string } = {},
  ): Promise<TaskRecord[]> {
    const { limit = 100, after } = page;
    return behindId({ limit, after }, async (place) => {
      const { tasks, next } = await this.backend.catalog.list(queue, state, { limit, after: place });
      return { items: tasks, next };
    });
  }

  counts(queue: string): Promise<Record<TaskState, number>> {
    return this.backend.catalog.counts(queue);
  }

  /** The queues of the provided jobs and those that have held tasks. */
  async queues(): Promise<string[]> {
    const provided = this.registry.provided().map(({ definition }) => definition.queue);
    return [...new Set([...provided, ...(await this.backend.catalog.queues())])];
  }

  /** A dead, cancelled or parked task starts anew, its attempts at 0. */
  retry(name: TaskName): Promise<Acted> {
    return this.act(name, async (ref) => (await this.backend.catalog.retry([ref]))[0]!);
  }

  /** A task that has not started ends as cancelled; a running one is asked to stop by its signal. */
  cancel(name: TaskName): Promise<Acted | 'requested'> {
    return this.act<Acted | 'requested'>(name, async (ref) => {
      const [acted] = await this.backend.catalog.cancel([ref]);
      if (acted === 'requested') this.backend.bell.ring(ref.queue, ref.id);
      return acted!;
    });
  }

  /** Takes a task away, unless it is running. */
  remove(name: TaskName): Promise<Acted> {
    return this.act(name, async (ref) => (await this.backend.catalog.remove([ref]))[0]!);
  }

  /** A scheduled task becomes due now. */
  runNow(name: TaskName): Promise<Acted> {
    return this.act(name, async (ref) => (await this.backend.catalog.runNow([ref]))[0]!);
  }

  /** Nothing of this queue starts, for a time or until `resume`; enqueueing goes on. */
  async pause(queue: string, options: { for?: Duration } = {}): Promise<void> {
    const forMs =
      options.for === undefined ? undefined : toMs(options.for, { where: 'pause', option: 'for' });
    await this.backend.catalog.pause(queue, forMs);
  }

  async resume(queue: string): Promise<void> {
    await this.backend.catalog.resume(queue);
  }

  isPaused(queue: string): Promise<boolean> {
    return this.backend.catalog.isPaused(queue);
  }

  /** The schedules of a queue in the order of their next slots, paused ones last. */
  schedules(queue: string, page: { limit?: number; after?: string } = {}): Promise<ScheduleInfo[]> {
    return this.ofSchedules.list(queue, { limit: page.limit ?? 100, after: page.after });
  }

  schedule(name: TaskName): Promise<ScheduleInfo | undefined> {
    return this.ofSchedules.get(name);
  }

  /** The next slots of a schedule, at most 1,000. */
  nextSlots(name: TaskName, count: number): Promise<Date[]> {
    return this.ofSchedules.nextSlots(name, count);
  }

  /** Makes a task as a slot would, now, and leaves the schedule untouched; answers the task, unless another holds its lock. */
  runSchedule(name: TaskName): Promise<TaskRef | 'taken' | 'missing'> {
    return this.ofSchedules.run(name);
  }

  /** From now on its slots pass without a task. */
  pauseSchedule(name: TaskName): Promise<Acted> {
    return this.ofSchedules.pause(name);
  }

  /** It goes on with its next slot to come. */
  resumeSchedule(name: TaskName): Promise<Acted> {
    return this.ofSchedules.resume(name);
  }

  /** Takes a schedule away; one from code is back when a process that declares it starts. */
  removeSchedule(name: TaskName): Promise<Acted> {
    return this.ofSchedules.remove(name);
  }

  /**
   * The unique locks of a queue that are held now, in no order. `after` is what the page before said; a page may be short
   * though there is more.
   */
  locks(queue: string, page: { limit?: number; after?: string } = {}): Promise<LockPage> {
    return this.ofLocks.list(queue, { limit: page.limit ?? 100, after: page.after });
  }

  /** The lock that a unique task holds or wants, with the id of the task that holds it now. */
  lock(name: TaskName): Promise<LockInfo | undefined> {
    return this.ofLocks.of(name);
  }

  /**
   * Frees the lock that a task holds, or one by queue and key. The holder goes on without it: another task of the key can be
   * enqueued, or run, beside it. It takes the lock again only in the next run (`while_executing`), in the run after a
   * failure (`until_executed`), or when it is started anew.
   */
  releaseLock(name: TaskName | LockRef): Promise<Acted> {
    return this.ofLocks.release(name);
  }

  private async act<A>(name: TaskName, act: (ref: TaskRef) => Promise<A>): Promise<A | 'missing'> {
    const ref = typeof name === 'string' ? await this.task(name) : name;
    return ref ? act({ queue: ref.queue, id: ref.id }) : 'missing';
  }
}
