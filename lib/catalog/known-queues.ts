import type { Backend } from '../backend/backend.js';
import type { JobRegistry } from '../job/job-registry.js';
import type { TaskRef } from '../task/task-record.js';

/** A task or a schedule by queue and id, or by its id alone: every known queue is then asked. */
export type TaskName = string | TaskRef;

const askedAtOnce = 25;

/** The queues of the provided jobs, and those that have held a task or a schedule. */
export class KnownQueues {
  constructor(
    private readonly backend: Backend,
    private readonly registry: JobRegistry,
  ) {}

  async names(): Promise<string[]> {
    const provided = this.registry.provided().map(({ definition }) => definition.queue);
    return [...new Set([...provided, ...(await this.backend.catalog.queues())])];
  }

  /** The first answer that any queue gives for a name. */
  async find<T>(name: TaskName, get: (ref: TaskRef) => Promise<T | undefined>): Promise<T | undefined> {
    if (typeof name !== 'string') return get({ queue: name.queue, id: name.id });
    const [first] = await this.findAll(name, get);
    return first;
  }

  /** What each queue that knows the id answers. */
  async findAll<T>(
    id: string,
    get: (ref: TaskRef) => Promise<T | undefined>,
    queues?: readonly string[],
  ): Promise<T[]> {
    const names = queues ?? (await this.names());
    const found: T[] = [];
    for (let from = 0; from < names.length; from += askedAtOnce) {
      const asked = names.slice(from, from + askedAtOnce).map((queue) => get({ queue, id }));
      for (const answer of await Promise.all(asked)) if (answer !== undefined) found.push(answer);
    }
    return found;
  }
}
