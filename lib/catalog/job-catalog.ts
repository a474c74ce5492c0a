import { Injectable } from '@nestjs/common';
import type { Acted, Backend } from '../backend/backend.js';
import type { LockRef } from '../backend/held-lock.js';
import type { JobRegistry } from '../job/job-registry.js';
import { checkKeys } from '../task/check-keys.js';
import { toMs, type Duration } from '../task/duration.js';
import { checkQueueName, type EnqueueOptions } from '../task/enqueue-options.js';
import type { Enqueued } from '../task/enqueued.js';
import { InvalidOptionError, type Violation } from '../task/errors.js';
import type { TaskRef, TaskState } from '../task/task-record.js';
import { failureGroups, type FailureGroups } from './failure-groups.js';
import { JobForm, type EnqueueByClass } from './job-form.js';
import { JobList, type JobInfo } from './job-list.js';
import { jobRedaction } from './job-redaction.js';
import { KnownQueues, type TaskName } from './known-queues.js';
import { LockCatalog, type LockInfo, type LocksPage } from './lock-catalog.js';
import type { ParamsSchema } from './params-fields.js';
import { QueueCatalog, type LiveRunnerInfo, type QueueInfo } from './queue-catalog.js';
import type { CatalogRedaction } from './redaction.js';
import { ScheduleCatalog } from './schedule-catalog.js';
import type { ScheduleDetails } from './schedule-info.js';
import { ScheduleList, type ScheduleFilter, type SchedulesPage } from './schedule-list.js';
import { TaskActions, type ActPage, type Answer, type Which } from './task-actions.js';
import { TaskCatalog, type Page, type Search, type TaskCount, type TasksPage } from './task-catalog.js';
import type { TaskFilter } from './task-filter.js';
import type { TaskInfo } from './task-info.js';

/**
 * Reading and steering what is in the store. No call reads more than a bounded part of it: where that was not enough to answer,
 * `complete` is false.
 */
@Injectable()
export class JobCatalog {
  private readonly known: KnownQueues;
  private readonly ofTasks: TaskCatalog;
  private readonly actions: TaskActions;
  private readonly ofQueues: QueueCatalog;
  private readonly ofSchedules: ScheduleCatalog;
  private readonly scheduleList: ScheduleList;
  private readonly ofLocks: LockCatalog;
  private readonly jobList: JobList;
  private readonly form: JobForm;

  /** @internal */
  constructor(
    private readonly backend: Backend,
    registry: JobRegistry,
    enqueue: EnqueueByClass,
    redaction: CatalogRedaction = jobRedaction((job) => registry.redactionOf(job)),
  ) {
    this.known = new KnownQueues(backend, registry);
    this.ofTasks = new TaskCatalog(backend, this.known, redaction);
    this.actions = new TaskActions(backend, this.ofTasks, this.known);
    this.ofQueues = new QueueCatalog(backend, this.known);
    this.ofSchedules = new ScheduleCatalog(backend, this.known, redaction);
    this.scheduleList = new ScheduleList(backend, this.known, redaction);
    this.ofLocks = new LockCatalog(backend, (name) => this.ofTasks.find(name));
    this.jobList = new JobList(backend, registry, this.known, this.scheduleList, redaction);
    this.form = new JobForm(registry, enqueue);
  }

  /** A task with all that the store holds of it. */
  task(name: TaskName): Promise<TaskInfo | undefined> {
    return this.ofTasks.task(name);
  }

  /**
   * Tasks, state by state, each in the order in which it is worked off, or with `backwards` the other way round. By queue and
   * state they come from an index; with `job`, `from`, `to`, `text` or `error` they are searched for, and a page may be short, or
   * empty, though there is more: go on while there is a `next`.
   */
  tasks(
    filter: TaskFilter = {},
    page: Page & Search & { readonly backwards?: boolean } = {},
  ): Promise<TasksPage> {
    return this.ofTasks.tasks(filter, page);
  }

  /** How many tasks a filter means. */
  count(filter: TaskFilter = {}, search: Search = {}): Promise<TaskCount> {
    return this.ofTasks.count(filter, search);
  }

  /** How many tasks of a queue, or of all, are in each state. */
  counts(queue?: string): Promise<Record<TaskState, number>> {
    return this.ofQueues.counts(queue);
  }

  /** Dead tasks by job and error; `retry({ state: 'dead', job, error })` deals with a group. */
  failures(filter: Omit<TaskFilter, 'state'> = {}, search: Search = {}): Promise<FailureGroups> {
    return failureGroups(this.ofTasks, filter, search);
  }

  /** The queues of the provided jobs, and those that have held a task or a schedule, by name. */
  queues(): Promise<QueueInfo[]> {
    return this.ofQueues.all();
  }

  /** One queue, known or not. */
  queue(name: string): Promise<QueueInfo> {
    return this.ofQueues.one(name);
  }

  /** The names of `queues()`, at less cost. */
  async queueNames(): Promise<string[]> {
    return (await this.known.names()).sort();
  }

  /** The jobs that are provided here, that have run, or that have a schedule, by name. */
  jobs(): Promise<JobInfo[]> {
    return this.jobList.all();
  }

  /** The live runners of all processes. */
  runners(): Promise<LiveRunnerInfo[]> {
    return this.ofQueues.runners();
  }

  /** The store's time: what an action on a filter takes as `asOf`. */
  async now(): Promise<Date> {
    return new Date(await this.actions.now());
  }

  /** Dead, cancelled and parked tasks start anew, their attempts at 0. */
  retry<W extends Which>(which: W, page: ActPage = {}): Promise<Answer<W, Acted>> {
    return this.actions.act('retry', which, page);
  }

  /** Tasks that have not started end as cancelled; running ones are asked to stop by their signals. */
  cancel<W extends Which>(which: W, page: ActPage = {}): Promise<Answer<W, Acted | 'requested'>> {
    return this.actions.act('cancel', which, page);
  }

  /** Takes tasks away, unless they are running. */
  remove<W extends Which>(which: W, page: ActPage = {}): Promise<Answer<W, Acted>> {
    return this.actions.act('remove', which, page);
  }

  /** Scheduled tasks become due now. */
  runNow<W extends Which>(which: W, page: ActPage = {}): Promise<Answer<W, Acted>> {
    return this.actions.act('runNow', which, page);
  }

  /** Enqueues a provided job by its name, as `JobQueue.enqueue` does by its class: params are checked, hooks are called. */
  enqueue(job: string, params?: unknown, options?: EnqueueOptions): Promise<Enqueued> {
    return this.form.enqueue(job, params, options);
  }

  /** What is wrong with params for a provided job; empty where nothing is. Nothing is stored. */
  checkParams(job: string, params?: unknown): Promise<readonly Violation[]> {
    return this.form.check(job, params);
  }

  /** The fields of the params of a provided job, as far as its class or schema tells. */
  paramsSchema(job: string): ParamsSchema {
    return this.form.schema(job);
  }

  /** Nothing of this queue starts, for a time or until `resume`; enqueueing goes on. */
  async pause(queue: string, options: { for?: Duration } = {}): Promise<void> {
    checkQueueName(queue, 'pause');
    checkKeys(options, ['for'], 'pause');
    const forMs =
      options.for === undefined ? undefined : toMs(options.for, { where: 'pause', option: 'for' });
    if (forMs === 0)
      throw new InvalidOptionError('pause', 'for', options.for, 'more than 0; resume() ends one');
    await this.backend.catalog.pause(queue, forMs);
  }

  async resume(queue: string): Promise<void> {
    checkQueueName(queue, 'resume');
    await this.backend.catalog.resume(queue);
  }

  async isPaused(queue: string): Promise<boolean> {
    checkQueueName(queue, 'isPaused');
    return this.backend.catalog.isPaused(queue);
  }

  /** Schedules in the order of their next slots, paused ones last. */
  schedules(filter: ScheduleFilter = {}, page: Page = {}): Promise<SchedulesPage> {
    return this.scheduleList.page(filter, page);
  }

  /** A schedule with how its latest slots ended, and the slots to come. */
  schedule(name: TaskName): Promise<ScheduleDetails | undefined> {
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

  /** The unique locks of a queue that are held now, in no order. A page may be short though there is more. */
  locks(queue: string, page: Page = {}): Promise<LocksPage> {
    return this.ofLocks.list(queue, page);
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
}
