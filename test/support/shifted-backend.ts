import type { Backend, CatalogStore, ScheduleStore, TaskStore } from '../../lib/backend/backend.js';
import type { NewTask, StoreTime, TaskRecord } from '../../lib/task/task-record.js';

/**
 * A backend on a server whose clock cannot be moved: instead, queues are made older, and what tests say and see is
 * translated, so that to them time has passed.
 */
export class ShiftedBackend {
  private offsetMs = 0;
  private readonly queues = new Set<string>();

  constructor(
    private readonly real: Backend,
    private readonly age: (queue: string, ms: number) => Promise<void>,
  ) {}

  async advance(ms: number): Promise<void> {
    for (const queue of this.queues) await this.age(queue, ms);
    this.offsetMs += ms;
  }

  get backend(): Backend {
    const { real } = this;
    return {
      name: real.name,
      tasks: this.tasks(real.tasks),
      schedules: this.schedules(real.schedules),
      catalog: this.catalog(real.catalog),
      bell: real.bell,
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
        const seen = claim.tasks.map((task) => ({
          ...task,
          enqueuedAt: this.seen(task.enqueuedAt),
          dueAt: this.seen(task.dueAt),
        }));
        return { ...claim, tasks: seen };
      },
      settle: (settlements) => tasks.settle(settlements),
      renew: (leases, leaseMs) => tasks.renew(leases, leaseMs),
      unpark: (queue, definitions, after) => tasks.unpark(queue, definitions, after),
    };
  }

  private schedules(schedules: ScheduleStore): ScheduleStore {
    return {
      put: (schedule, replace) => {
        this.queues.add(schedule.queue);
        const { nextSlot } = schedule;
        return schedules.put(
          { ...schedule, nextSlot: nextSlot === 'now' ? nextSlot : this.said(nextSlot) },
          replace,
        );
      },
      remove: (ref) => schedules.remove(ref),
      due: async (queues) => {
        const due = await schedules.due(queues);
        return {
          ...due,
          now: this.seen(due.now),
          schedules: due.schedules.map((schedule) => ({
            ...schedule,
            nextSlot: this.seen(schedule.nextSlot),
            lastSlot: schedule.lastSlot === undefined ? undefined : this.seen(schedule.lastSlot),
          })),
        };
      },
      advance: (ref, slot, nextSlot, task) =>
        schedules.advance(
          ref,
          this.said(slot),
          nextSlot === undefined ? undefined : this.said(nextSlot),
          task && this.sent(task),
        ),
    };
  }

  private catalog(catalog: CatalogStore): CatalogStore {
    return {
      get: async (ref) => {
        const record = await catalog.get(ref);
        return record && this.record(record);
      },
      list: async (queue, state, page) =>
        (await catalog.list(queue, state, page)).map((record) => this.record(record)),
      counts: (queue) => catalog.counts(queue),
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
    };
  }

  private record(record: TaskRecord): TaskRecord {
    const seen = (at: number | undefined) => (at === undefined ? undefined : this.seen(at));
    return {
      ...record,
      enqueuedAt: this.seen(record.enqueuedAt),
      dueAt: this.seen(record.dueAt),
      expiresAt: seen(record.expiresAt),
      leaseEndsAt: seen(record.leaseEndsAt),
      finishedAt: seen(record.finishedAt),
      errors: record.errors.map((error) => ({ ...error, at: this.seen(error.at) })),
    };
  }

  private sent(task: NewTask): NewTask {
    this.queues.add(task.queue);
    const said = (time: StoreTime): StoreTime => ('at' in time ? { at: this.said(time.at) } : time);
    return { ...task, due: said(task.due), expires: task.expires && said(task.expires) };
  }

  /** A moment from the store, as the test sees it. */
  private seen(at: number): number {
    return at + this.offsetMs;
  }

  /** A moment from the test, as the store must get it. */
  private said(at: number): number {
    return at - this.offsetMs;
  }
}
