import { Injectable } from '@nestjs/common';
import type { EnqueueArguments, JobClass, TaskHooks } from '../job/job-handler.js';
import type { EnqueuableJob, JobRegistry } from '../job/job-registry.js';
import { buildTask } from '../task/build-task.js';
import type { Clock } from '../task/clock.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import type { TaskIds } from '../task/task-id.js';
import type { NewTask } from '../task/task-record.js';
import { Task } from '../task/task.js';
import type { Adder } from './adder.js';
import { Bulk } from './bulk.js';
import { enqueuedOf, type Enqueued } from './enqueued.js';

/** A task on its way to the store. */
interface Built {
  readonly task: NewTask;
  readonly job: EnqueuableJob;
  readonly params: unknown;
}

/** Where an application puts its work: inject it, and enqueue a job by its class. */
@Injectable()
export class JobQueue {
  /** @internal */
  constructor(
    private readonly registry: JobRegistry,
    private readonly adder: Adder,
    private readonly ids: TaskIds,
    private readonly clock: Clock,
    private readonly writeLog: (job: string, message: string) => void,
  ) {}

  /** Resolves when the task is stored; rejects when it could not be, or when its params or options are wrong. */
  async enqueue<J extends JobClass>(
    job: J,
    ...[params, options]: EnqueueArguments<J, EnqueueOptions>
  ): Promise<Enqueued> {
    const built = this.build(job, params, options);
    const { task, job: found, params: value } = built instanceof Promise ? await built : built;
    if (found.hasEnqueueHooks) return (await this.addWithHooks([{ task, job: found, params: value }]))[0]!;
    return enqueuedOf(task, (await this.adder.add([task]))[0]!);
  }

  /**
   * Stores all tasks that the block enqueues in one step when it returns, or none of them if it throws or one of them is
   * wrong. At most 50,000.
   */
  async bulk(fill: (bulk: Bulk) => void | Promise<void>): Promise<Enqueued[]> {
    const calls = await Bulk.collect(fill);
    if (calls.length === 0) return [];
    const built: Built[] = [];
    for (const { job, params, options } of calls) built.push(await this.build(job, params, options));
    if (built.some(({ job }) => job.hasEnqueueHooks)) return this.addWithHooks(built);
    const added = await this.adder.add(built.map(({ task }) => task));
    return built.map(({ task }, index) => enqueuedOf(task, added[index]!));
  }

  private build(target: JobClass, params: unknown, options?: EnqueueOptions): Built | Promise<Built> {
    const job = this.registry.enqueuable(target);
    const plan = job.definition.planFor(options);
    const finish = ({ value, text }: { value: unknown; text: string }): Built => {
      const now = this.clock.now();
      return {
        task: buildTask(job.definition.name, text, plan, this.ids.next(now), now),
        job,
        params: value,
      };
    };
    const encoded = job.definition.codec.encode(params);
    return encoded instanceof Promise ? encoded.then(finish) : finish(encoded);
  }

  /** `afterEnqueue` follows whenever `beforeEnqueue` was asked, whatever came in between. */
  private async addWithHooks(built: readonly Built[]): Promise<Enqueued[]> {
    const { hooks } = this.registry;
    const results = new Map<Built, Enqueued>();
    const asked: { built: Built; own: TaskHooks<never>; task: Task<never> }[] = [];
    try {
      const accepted: Built[] = [];
      for (const one of built) {
        const task = this.preview(one);
        const own = (await one.job.handler?.open(task))?.instance ?? {};
        asked.push({ built: one, own, task });
        if (await hooks.beforeEnqueue(own, task)) accepted.push(one);
        else results.set(one, { id: one.task.id, queue: one.task.queue, status: 'vetoed' });
      }
      const added = accepted.length > 0 ? await this.adder.add(accepted.map(({ task }) => task)) : [];
      accepted.forEach((one, index) => results.set(one, enqueuedOf(one.task, added[index]!)));
      return built.map((one) => results.get(one)!);
    } finally {
      for (const { built: one, own, task } of asked) {
        const status = results.get(one)?.status;
        await hooks.after('afterEnqueue', own, status === 'enqueued' || status === 'replaced', task);
      }
    }
  }

  /** The task as a hook sees it before it is stored. */
  private preview({ task, params }: Built): Task<never> {
    const now = this.clock.now();
    const dueAt = 'at' in task.due ? task.due.at : now + task.due.inMs;
    const facts = { ...task, params: params as never, attempt: 0, failures: 0, enqueuedAt: now, dueAt };
    return new Task<never>(facts, (message) => this.writeLog(task.job, message));
  }
}
