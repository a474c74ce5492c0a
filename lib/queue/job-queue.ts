import { Injectable } from '@nestjs/common';
import type { Added } from '../backend/answers.js';
import type { Carrying } from '../job/carrying.js';
import type { EnqueueArguments, JobClass, TaskHooks } from '../job/job-handler.js';
import type { JobsLog } from '../job/jobs-log.js';
import { linesOf } from '../job/task-lines.js';
import type { EnqueuableJob, JobRegistry } from '../job/job-registry.js';
import type { TaskEvents } from '../job/task-events.js';
import { lockFor } from '../job/unique-lock.js';
import { buildTask, type TaskInTheMaking } from '../task/build-task.js';
import type { Clock } from '../task/clock.js';
import type { EnqueueOptions } from '../task/enqueue-options.js';
import { extraWith, type EnqueuePlan } from '../task/enqueue-plan.js';
import { InvalidOptionError } from '../task/errors.js';
import type { Encoded } from '../task/params.js';
import { isPromise } from '../task/realm.js';
import { maskHiding, redacted, type Mask } from '../task/redact-text.js';
import type { TaskIds } from '../task/task-id.js';
import type { NewTask, TaskRef } from '../task/task-record.js';
import { taskFields } from '../task/task-fields.js';
import { Task } from '../task/task.js';
import { Bulk } from './bulk.js';
import { enqueuedOf, type Enqueued } from './enqueued.js';
import { BulkError } from './errors.js';
import type { ResultOf } from './result-of.js';
import { awaitedRef, timeoutOf, type ResultOptions } from './result-options.js';
import type { ResultWaits } from './result-waits.js';
import type { SchedulePutter } from './schedule-putter.js';
import type { TaskWriter } from './task-writer.js';

/** A task on its way to the store. */
interface Built {
  readonly task: TaskInTheMaking;
  readonly job: EnqueuableJob;
  readonly params: unknown;
  readonly plan: EnqueuePlan;
}

/** Where an application puts its work: inject it, and enqueue a job by its class. */
@Injectable()
export class JobQueue {
  private readonly noticed = new Set<string>();

  /** @internal */
  constructor(
    private readonly registry: JobRegistry,
    private readonly writer: TaskWriter,
    private readonly putter: SchedulePutter,
    private readonly ids: TaskIds,
    private readonly clock: Clock,
    private readonly log: JobsLog,
    private readonly events: TaskEvents,
    private readonly carrying: Carrying,
    /** Whether this process says which queues it runs; else they are those of its jobs. */
    private readonly namesQueues: boolean,
    private readonly results: ResultWaits,
  ) {}

  /**
   * Resolves when the task is stored, or with `every` or `cron` the schedule, whose id it then answers; rejects when that
   * could not be, or when params or options are wrong.
   */
  enqueue<J extends JobClass>(
    job: J,
    ...args: EnqueueArguments<J, EnqueueOptions>
  ): Promise<Enqueued<ResultOf<J>>>;
  async enqueue(job: JobClass, params?: unknown, options?: EnqueueOptions): Promise<Enqueued> {
    const building = this.build(job, params, options);
    const built = isPromise(building) ? await building : building;
    const { task, plan } = built;
    const transaction = options?.transaction;
    const { tracing } = this.carrying;
    if (tracing)
      return tracing.enqueue(plan.schedule ? 'schedule' : 'enqueue', task, maskOf([built]), () =>
        this.store(built, transaction),
      );
    if (plan.schedule || built.job.hasEnqueueHooks) return this.store(built, transaction);
    // Not by `store`: a promise more would be felt with every enqueue.
    return this.told(task, (await this.writer.write([task], transaction))[0]!, transaction);
  }

  private async store(built: Built, transaction: unknown): Promise<Enqueued> {
    if (built.plan.schedule) return this.putSchedule(built, transaction);
    if (built.job.hasEnqueueHooks) return (await this.addWithHooks([built], transaction))[0]!;
    return this.told(built.task, (await this.writer.write([built.task], transaction))[0]!, transaction);
  }

  /**
   * Stores all tasks that the block enqueues in one step when it returns, or none of them if it throws or one of them is
   * wrong. At most 50,000. With `transaction` they are there exactly when that commits.
   */
  async bulk(
    fill: (bulk: Bulk) => void | Promise<void>,
    { transaction }: Pick<EnqueueOptions, 'transaction'> = {},
  ): Promise<Enqueued[]> {
    const built = await Bulk.collect(fill, (job, params, options) => {
      if (options?.transaction !== undefined)
        throw new BulkError(`${job.name}: a bulk has one transaction, given to the bulk itself`);
      return this.build(job, params, options);
    });
    if (built.length === 0) return [];
    const recurring = built.find(({ plan }) => plan.schedule);
    if (recurring)
      throw new BulkError(
        `${recurring.task.job}: a bulk holds no schedules: enqueue what has \`every\` or \`cron\` by itself`,
      );
    const tasks = built.map(({ task }) => task);
    const store = () => this.storeAll(built, tasks, transaction);
    const { tracing } = this.carrying;
    return tracing ? tracing.enqueueAll(tasks, maskOf(built), store) : store();
  }

  private async storeAll(
    built: readonly Built[],
    tasks: readonly NewTask[],
    transaction: unknown,
  ): Promise<Enqueued[]> {
    if (built.some(({ job }) => job.hasEnqueueHooks)) return this.addWithHooks(built, transaction);
    const added = await this.writer.write(tasks, transaction);
    return built.map(({ task }, index) => this.told(task, added[index]!, transaction));
  }

  /**
   * Resolves with what `run` returned, once the task has succeeded, in whichever process; the task must be kept, by `keep` or
   * `retention.succeeded`. Rejects when it died, was cancelled, is unknown or no longer kept, has not come to its end within
   * `timeout`, or when this application closes. Retries are waited for.
   */
  async result<R = unknown>(ref: Enqueued<R> | TaskRef | string, options?: ResultOptions): Promise<R> {
    const awaited = awaitedRef(ref);
    const timeoutMs = timeoutOf(options);
    this.writer.checkOpen('JobQueue.result');
    this.writer.checkCanWait('JobQueue.result');
    return (await this.results.wait(awaited, timeoutMs)) as R;
  }

  private build(target: JobClass, params: unknown, options?: EnqueueOptions): Built | Promise<Built> {
    this.writer.checkOpen(target?.name ?? String(target));
    const job = this.registry.enqueuable(target, options?.queue);
    const plan = job.definition.planFor(options);
    if (options?.queue !== undefined && !this.namesQueues) this.noticeQueue(job, options.queue);
    const encoded = job.definition.codec.encode(params);
    if (!isPromise(encoded)) return this.finish(job, plan, encoded);
    return encoded.then((text) => this.finish(job, plan, text));
  }

  private finish(job: EnqueuableJob, plan: EnqueuePlan, params: Encoded): Built | Promise<Built> {
    const now = this.clock.now();
    const { name } = job.definition;
    const extra = extraWith(plan.extra, 'context', this.carrying.capture(name));
    const task = buildTask(name, params.text, plan, this.ids.next(now), now, extra);
    const built = { task, job, params: params.value, plan };
    if (!plan.unique) return built;
    this.registry.checkGroup(job, plan);
    const lock = lockFor(job, plan.unique, params.value, () => this.preview(built));
    if (isPromise(lock)) return lock.then((made) => ((task.lock = made), built));
    task.lock = lock;
    return built;
  }

  /** What the store answered, for the caller and for whoever listens. */
  private told(task: NewTask, added: Added, transaction: unknown): Enqueued {
    const enqueued = enqueuedOf(task, added);
    const { status, id, queue } = enqueued;
    if (this.log.tells('enqueued'))
      this.log.tell('enqueued', task.job, `task ${id} ${status} in queue ${queue}`, {
        ...taskFields({ ...task, id }),
        status,
      });
    if (this.events.isHeard && (status === 'enqueued' || status === 'replaced')) {
      const { job, due } = task;
      const dueInMs = Math.max('at' in due ? due.at - this.clock.now() : due.inMs, 0);
      const isReplaced = status === 'replaced';
      const within = transaction === undefined ? {} : ({ inTransaction: true } as const);
      this.events.emit({ type: 'enqueued', queue, id, job, isReplaced, dueInMs, ...within });
    }
    return enqueued;
  }

  /** A queue that only a call names may be run by nobody: that is said once. */
  private noticeQueue({ definition }: EnqueuableJob, queue: string): void {
    if (this.noticed.has(queue)) return;
    this.noticed.add(queue);
    const run = this.registry.provided().map((job) => job.definition.queue);
    if (run.includes(queue)) return;
    this.log.write(
      'warn',
      definition.name,
      `queue '${queue}' is not run by this process, which runs the queues of its jobs: ${[...new Set(run)].join(', ')}; ` +
        'where no other process runs it, add it to runner.queues',
    );
  }

  /** `afterEnqueue` follows whenever `beforeEnqueue` was asked, whatever came in between. */
  private async addWithHooks(built: readonly Built[], transaction: unknown): Promise<Enqueued[]> {
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
      const tasks = accepted.map(({ task }) => task);
      const added = tasks.length > 0 ? await this.writer.write(tasks, transaction) : [];
      accepted.forEach((one, index) => results.set(one, this.told(one.task, added[index]!, transaction)));
      return built.map((one) => results.get(one)!);
    } finally {
      for (const { built: one, own, task } of asked) {
        const { status, id = task.id } = results.get(one) ?? {};
        const isStored = status === 'enqueued' || status === 'replaced';
        await hooks.after('afterEnqueue', own, isStored, task.storedAs(id));
      }
    }
  }

  /** A schedule outlives what is put with it: it is no part of anybody's transaction. */
  private async putSchedule({ task, plan }: Built, transaction: unknown): Promise<Enqueued> {
    const expected = 'left out with `every` and `cron`: a schedule is put by itself';
    if (transaction !== undefined) throw new InvalidOptionError(task.job, 'transaction', 'one', expected);
    this.writer.checkCanWait(task.job);
    return this.putter.put(task, plan);
  }

  /** The task as a hook sees it before it is stored. */
  private preview({ task, params, job }: Built): Task<never> {
    const now = this.clock.now();
    const dueAt = 'at' in task.due ? task.due.at : now + task.due.inMs;
    const facts = { ...task, attempt: 0, failures: 0, enqueuedAt: now, dueAt };
    const lines = linesOf(this.log, job.definition.redaction, task.params, params);
    return new Task<never>(facts, params as never, lines);
  }
}

/** More tasks are not gone through for the sake of a text: then all of it is masked. */
const mostMasks = 100;

/** Takes out of a text what the jobs of these tasks hide. */
function maskOf(built: readonly Built[]): Mask {
  const hiding = built.filter(({ job }) => job.definition.redaction);
  if (hiding.length > mostMasks) return () => redacted;
  // All at once: what one has masked must not be masked by the next.
  return maskHiding(() =>
    hiding.flatMap(({ job, task, params }) => job.definition.redaction!.hiddenIn(task.params, params)),
  );
}
