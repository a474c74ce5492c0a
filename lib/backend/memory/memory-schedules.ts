import type { Clock } from '../../task/clock.js';
import type { TaskRef } from '../../task/task-record.js';
import type {
  Advance,
  Advanced,
  DueSchedules,
  NewSchedule,
  ScheduleRecord,
  ScheduleStore,
  SeenSchedule,
} from '../schedule-store.js';
import { advance } from './memory-advance.js';
import type { MemoryQueues } from './memory-queues.js';
import { MemoryScheduleLine, recordOf, type MemorySchedule } from './memory-schedule-line.js';
import type { MemoryTasks } from './memory-tasks.js';

const duePerCall = 1_000;

/** No method awaits anything in between, so each is one step. */
export class MemorySchedules implements ScheduleStore {
  private readonly lines = new Map<string, MemoryScheduleLine>();

  constructor(
    private readonly queues: MemoryQueues,
    private readonly tasks: MemoryTasks,
    private readonly clock: Clock,
  ) {}

  async now(): Promise<number> {
    return this.clock.now();
  }

  async put(
    schedule: NewSchedule,
    when: 'absent' | 'changed' | 'always',
  ): Promise<'stored' | 'existing' | 'replaced'> {
    const existing = this.find(schedule);
    if (existing && when === 'absent') return 'existing';
    if (existing && when === 'changed' && existing.rule === schedule.rule) {
      this.takeOver(existing, schedule);
      return 'existing';
    }
    const now = this.clock.now();
    const { queue, id, job, rule, template, isDeclared, nextSlot } = schedule;
    const firstSlot = nextSlot === 'now' ? now : nextSlot;
    const line = this.line(queue);
    this.lines.set(queue, line);
    line.put({
      ...(existing ?? { fired: 0, skipped: 0, isPaused: false }),
      queue,
      id,
      job,
      rule,
      template,
      firstSlot,
      nextSlot: firstSlot,
      lookAt: firstSlot,
      declaredAt: isDeclared ? now : undefined,
    });
    this.queues.get(queue).hasHeldSchedules = true;
    this.queues.bell.ringForSchedules(queue);
    return existing ? 'replaced' : 'stored';
  }

  async declare(refs: readonly TaskRef[]): Promise<void> {
    for (const ref of refs) {
      const schedule = this.find(ref);
      if (schedule?.declaredAt !== undefined) schedule.declaredAt = this.clock.now();
    }
  }

  async remove({ queue, id }: TaskRef): Promise<boolean> {
    return this.line(queue).remove(id);
  }

  async due(queues: readonly string[], forgetAfterMs: number): Promise<DueSchedules> {
    const now = this.clock.now();
    const due: MemorySchedule[] = [];
    let nextAt = Infinity;
    for (const queue of new Set(queues)) {
      const line = this.line(queue);
      const { pausedUntil } = this.queues.look(queue);
      const seen = pausedUntil > now ? [] : line.due(now, duePerCall);
      nextAt = Math.min(nextAt, Math.max(line.lookAt(seen.length), pausedUntil));
      for (const schedule of seen) {
        if ((schedule.declaredAt ?? Infinity) + forgetAfterMs <= now) line.remove(schedule.id);
        else due.push(schedule);
      }
    }
    due.sort((a, b) => a.nextSlot - b.nextSlot);
    const nextInMs = due.length > duePerCall ? 0 : Math.max(nextAt - now, 0);
    return { schedules: due.slice(0, duePerCall).map(recordOf), nextInMs, now };
  }

  async defer(seen: readonly SeenSchedule[], forMs: number): Promise<void> {
    for (const { queue, id, nextSlot } of seen) {
      const schedule = this.find({ queue, id });
      if (!schedule || schedule.isPaused || schedule.nextSlot !== nextSlot) continue;
      this.line(queue).put(schedule, Math.max(nextSlot, this.clock.now() + forMs));
    }
  }

  async advance(advances: readonly Advance[]): Promise<Advanced[]> {
    const { queues, tasks } = this;
    const now = this.clock.now();
    return advances.map((step) => advance(step, this.line(step.queue), { queues, tasks, now }));
  }

  async get(ref: TaskRef): Promise<ScheduleRecord | undefined> {
    const schedule = this.find(ref);
    return schedule && recordOf(schedule);
  }

  async list(queue: string, { limit, after }: { limit: number; after?: string }): Promise<ScheduleRecord[]> {
    return this.line(queue).after(after, limit).map(recordOf);
  }

  async pause(ref: TaskRef): Promise<boolean> {
    const schedule = this.find(ref);
    if (!schedule) return false;
    schedule.isPaused = true;
    this.line(ref.queue).put(schedule);
    return true;
  }

  async resume(ref: TaskRef, slot: number, nextSlot: number): Promise<'resumed' | 'lost'> {
    const schedule = this.find(ref);
    if (!schedule?.isPaused || schedule.nextSlot !== slot) return 'lost';
    schedule.isPaused = false;
    schedule.nextSlot = nextSlot;
    this.line(ref.queue).put(schedule);
    this.queues.bell.ringForSchedules(ref.queue);
    return 'resumed';
  }

  /** An unchanged rule keeps its place; what its tasks are made from may have changed. */
  private takeOver(schedule: MemorySchedule, { job, template, isDeclared }: NewSchedule): void {
    schedule.job = job;
    schedule.template = template;
    if (isDeclared) schedule.declaredAt = this.clock.now();
    if (schedule.isPaused || schedule.lookAt === schedule.nextSlot) return;
    this.line(schedule.queue).put(schedule);
    this.queues.bell.ringForSchedules(schedule.queue);
  }

  private find({ queue, id }: TaskRef): MemorySchedule | undefined {
    return this.line(queue).get(id);
  }

  /** One that nobody has put anything into is not kept for having been looked at. */
  private line(queue: string): MemoryScheduleLine {
    return this.lines.get(queue) ?? new MemoryScheduleLine();
  }
}
