import { setTimeout as pause } from 'node:timers/promises';
import type { Backend, CatalogStore, TaskStore } from '../../lib/backend/backend.js';
import type { ScheduleRecord, ScheduleStore } from '../../lib/backend/schedule-store.js';
import type { RunsInSpan, StatsStore } from '../../lib/backend/stats-store.js';
import type { NewTask, StoreTime, TaskRecord } from '../../lib/task/task-record.js';

/**
 * A backend on a server whose clock cannot be moved: instead, queues are made older, and what tests say and see is
 * translated, so that to them time has passed.
 */
export class ShiftedBackend {
  private offsetMs = 0;
  /** Those that the test has used. */
  readonly queues = new Set<string>();
  private readonly runners = new Set<string>();
  /** By how much the clock had been moved when a task was claimed: the start of its run is told by its epoch, which stays. */
  private readonly offsetsOfClaims = new Map<string, number>();

  constructor(
    private readonly real: Backend,
    /** Makes a queue older, with its schedules and the counts and slots that were reported of it. */
    private readonly age: (queue: string, ms: number) => Promise<void>,
    /** Makes what is known of runners older. */
    private readonly ageRunners: (names: readonly string[], ms: number) => Promise<void>,
  ) {}

  async advance(ms: number): Promise<void> {
    for (const queue of this.queues) await this.age(queue, ms);
    if (this.runners.size > 0) await this.ageRunners([...this.runners], ms);
    this.offsetMs += ms;
    // The start of a run is known by its millisecond: two with a move in between must not share one.
    const movedAt = Date.now();
    while (Date.now() <= movedAt) await pause(1);
  }

  get backend(): Backend {
    const { real } = this;
    return {
      name: real.name,
      tasks: this.tasks(real.tasks),
      schedules: this.schedules(real.schedules),
      catalog: this.catalog(real.catalog),
      stats: this.stats(real.stats),
      bell: real.bell,
      events: real.events,
      open: (settings) => real.open(settings),
      close: () => real.close(),
    };
  }

  private tasks(tasks: TaskStore): TaskStore {
    return {
      add: (groups) => tasks.add(groups.map((group) => group.map((task) => this.sent(task)))),
      claim: async (request) => {
        for (const { queue } of request.queues) this.queues.add(queue);
        const claim = await tasks.claim(request);
        for (const { queue, id, epoch } of claim.tasks)
          this.offsetsOfClaims.set(`${queue} ${id} ${Math.floor(epoch / 1_000)}`, this.offsetMs);
        const seen = claim.tasks.map((task) => ({
          ...task,
          enqueuedAt: this.seen(task.enqueuedAt),
          dueAt: this.seen(task.dueAt),
          slot: this.maybeSeen(task.slot),
        }));
        const recovered = claim.recovered?.map((run) => ({
          ...run,
          at: this.seen(run.at),
          dueAt: this.seen(run.dueAt),
          slot: this.maybeSeen(run.slot),
        }));
        return { ...claim, tasks: seen, ...(recovered && { recovered }) };
      },
      settle: (settlements) => tasks.settle(settlements),
      renew: (leases, leaseMs) => tasks.renew(leases, leaseMs),
      annotate: (notes) => tasks.annotate(notes),
      unpark: (queue, definitions, after) => tasks.unpark(queue, definitions, after),
    };
  }

  private schedules(schedules: ScheduleStore): ScheduleStore {
    return {
      now: async (queue) => this.seen(await schedules.now(queue)),
      put: (schedule, when) => {
        this.queues.add(schedule.queue);
        const { nextSlot, firstSlot, lastSlot } = schedule;
        const said = {
          nextSlot: nextSlot === 'now' ? nextSlot : this.said(nextSlot),
          firstSlot: this.maybeSaid(firstSlot),
          lastSlot: this.maybeSaid(lastSlot),
        };
        return schedules.put({ ...schedule, ...said }, when);
      },
      declare: (refs) => schedules.declare(refs),
      remove: (ref, declaredAt) => schedules.remove(ref, this.maybeSaid(declaredAt)),
      due: async (asked) => {
        const due = await schedules.due(asked);
        const seen = due.schedules.map((one) => ({ ...this.schedule(one), now: this.seen(one.now) }));
        return { ...due, schedules: seen };
      },
      defer: (seen, forMs) =>
        schedules.defer(
          seen.map((one) => ({ ...one, nextSlot: this.said(one.nextSlot) })),
          forMs,
        ),
      advance: (steps) =>
        schedules.advance(
          steps.map((step) => ({
            ...step,
            slot: this.said(step.slot),
            passes: this.said(step.passes),
            nextSlot: this.maybeSaid(step.nextSlot),
            task: step.task && this.sent(step.task),
          })),
        ),
      get: async (ref) => {
        const schedule = await schedules.get(ref);
        return schedule && this.schedule(schedule);
      },
      list: async (queue, page) => {
        const { schedules: listed, ...rest } = await schedules.list(queue, page);
        return { ...rest, schedules: listed.map((one) => this.schedule(one)) };
      },
      pause: (ref) => schedules.pause(ref),
      resume: (ref, slot, nextSlot) => schedules.resume(ref, this.said(slot), this.said(nextSlot)),
    };
  }

  private catalog(catalog: CatalogStore): CatalogStore {
    return {
      get: async (ref) => {
        const record = await catalog.get(ref);
        return record && this.record(record);
      },
      list: async (queue, state, page) => {
        const { tasks, ...rest } = await catalog.list(queue, state, page);
        return { ...rest, tasks: tasks.map((record) => this.record(record)) };
      },
      counts: (queue) => catalog.counts(queue),
      glance: (queues) => catalog.glance(queues),
      queues: () => catalog.queues(),
      retry: (refs) => catalog.retry(refs),
      cancel: (refs) => catalog.cancel(refs),
      remove: (refs) => catalog.remove(refs),
      runNow: (refs) => catalog.runNow(refs),
      pause: (queue, forMs) => {
        this.queues.add(queue);
        return catalog.pause(queue, forMs);
      },
      resume: (queue) => catalog.resume(queue),
      isPaused: (queue) => catalog.isPaused(queue),
      lock: (ref) => catalog.lock(ref),
      locks: (queue, page) => catalog.locks(queue, page),
      releaseLock: (ref) => catalog.releaseLock(ref),
    };
  }

  private stats(stats: StatsStore): StatsStore {
    const span = (one: RunsInSpan) => ({ ...one, at: this.seen(one.at) });
    return {
      report: (report) => {
        this.runners.add(report.runner.name);
        for (const { queue } of [...report.runs, ...report.slots]) this.queues.add(queue);
        const slots = report.slots.map((one) => ({ ...one, slot: this.said(one.slot) }));
        return stats.report({ ...report, slots });
      },
      leave: (runner) => stats.leave(runner),
      runners: async () =>
        (await stats.runners()).map((one) => ({
          ...one,
          startedAt: this.seen(one.startedAt),
          seenAt: this.seen(one.seenAt),
        })),
      jobs: async (queues) =>
        (await stats.jobs(queues)).map((one) => ({
          ...one,
          lastRunAt: this.maybeSeen(one.lastRunAt),
          lastFailureAt: this.maybeSeen(one.lastFailureAt),
        })),
      throughput: async (queue) => {
        const { minutes, hours } = await stats.throughput(queue);
        return { minutes: minutes.map(span), hours: hours.map(span) };
      },
      slots: async (schedule) =>
        (await stats.slots(schedule)).map((one) => ({
          ...one,
          slot: this.seen(one.slot),
          at: this.seen(one.at),
        })),
    };
  }

  private schedule(schedule: ScheduleRecord): ScheduleRecord {
    return {
      ...schedule,
      firstSlot: this.seen(schedule.firstSlot),
      nextSlot: this.seen(schedule.nextSlot),
      lastSlot: this.maybeSeen(schedule.lastSlot),
      declaredAt: this.maybeSeen(schedule.declaredAt),
    };
  }

  private record(record: TaskRecord): TaskRecord {
    const start = (at: number) =>
      at + (this.offsetsOfClaims.get(`${record.queue} ${record.id} ${at}`) ?? NaN);
    const { lastRun } = record;
    return {
      ...record,
      enqueuedAt: this.seen(record.enqueuedAt),
      dueAt: this.seen(record.dueAt),
      slot: this.maybeSeen(record.slot),
      expiresAt: this.maybeSeen(record.expiresAt),
      startedAt: record.startedAt && start(record.startedAt),
      leaseEndsAt: this.maybeSeen(record.leaseEndsAt),
      finishedAt: this.maybeSeen(record.finishedAt),
      lastRun: lastRun && {
        ...lastRun,
        startedAt: start(lastRun.startedAt),
        endedAt: this.seen(lastRun.endedAt),
      },
      errors: record.errors.map((error) => ({
        ...error,
        at: this.seen(error.at),
        startedAt: error.startedAt && start(error.startedAt),
      })),
    };
  }

  private sent(task: NewTask): NewTask {
    this.queues.add(task.queue);
    const said = (time: StoreTime): StoreTime => ('at' in time ? { at: this.said(time.at) } : time);
    return {
      ...task,
      due: said(task.due),
      expires: task.expires && said(task.expires),
      slot: this.maybeSaid(task.slot),
    };
  }

  private maybeSeen(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.seen(at);
  }

  /** A moment from the store, as the test sees it. */
  private seen(at: number): number {
    return at + this.offsetMs;
  }

  /** A moment from the test, as the store must get it. */
  private said(at: number): number {
    return at - this.offsetMs;
  }

  private maybeSaid(at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.said(at);
  }
}
