import { Injectable } from '@nestjs/common';
import type { Acted, Backend } from '../backend/backend.js';
import type { JobRegistry } from '../job/job-registry.js';
import { toMs, type Duration } from '../task/duration.js';
import type { TaskRecord, TaskRef, TaskState } from '../task/task-record.js';

/** A task by queue and id, or by its id alone: every known queue is then asked. */
export type TaskName = string | TaskRef;

/** Reading and steering the tasks in the store. */
@Injectable()
export class JobCatalog {
  /** @internal */
  constructor(
    private readonly backend: Backend,
    private readonly registry: JobRegistry,
  ) {}

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
    return this.backend.catalog.list(queue, state, { limit: page.limit ?? 100, after: page.after });
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

  private async act<A>(name: TaskName, act: (ref: TaskRef) => Promise<A>): Promise<A | 'missing'> {
    const ref = typeof name === 'string' ? await this.task(name) : name;
    return ref ? act({ queue: ref.queue, id: ref.id }) : 'missing';
  }
}
