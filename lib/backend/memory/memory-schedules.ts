import type { Clock } from '../../task/clock.js';
import type { TaskRef } from '../../task/task-record.js';
import type {
  Advance,
  Advanced,
  AskedSchedules,
  DueSchedules,
  NewSchedule,
  SchedulePage,
  ScheduleRecord,
  ScheduleStore,
  SeenSchedule,
} from '../schedule-store.js';
import { advance } from './memory-advance.js';
import type { MemoryQueues } from './memory-queues.js';
import { MemoryScheduleLine, recordOf, type MemorySchedule } from './memory-schedule-line.js';
import type { MemoryTasks } from './memory-tasks.js';

const duePerCall = 1_000;

/** What outlasts that a schedule is replaced. */
type Past = Pick<MemorySchedule, 'lastSlot' | 'lastTask' | 'fired' | 'skipped' | 'isPaused' | 'outcomes'>;

/** No method awaits anything in between, so each is one step. */
export class MemorySchedules implements ScheduleStore {
  private readonly lines = new Map<string, MemoryScheduleLine>();
  private versions = 0;

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
    when: 'absent' | 'replace',
  ): Promise<'stored' | 'existing' | 'replaced' | 'passed'> {
    const existing = this.find(schedule);
    if (!existing) {
      const { lastSlot, isPaused = false } = schedule;
      this.store(schedule, { fired: 0, skipped: 0, lastSlot, isPaused, outcomes: [] });
      return 'stored';
    }
    if (when === 'absent') return 'existing';
    if (existing.rule === schedule.rule) {
      this.takeOver(existing, schedule);
      return 'existing';
    }
    // A slot that has been passed would be fired a second time.
    if (schedule.nextSlot !== 'now' && schedule.nextSlot <= (existing.lastSlot ?? -Infinity)) return 'passed';
    this.store(schedule, existing);
    return 'replaced';
  }

  async declare(refs: readonly TaskRef[]): Promise<TaskRef[]> {
    return refs.filter((ref) => {
      const schedule = this.find(ref);
      if (schedule?.declaredAt !== undefined) schedule.declaredAt = this.clock.now();
      return !schedule;
    });
  }

  async remove(ref: TaskRef, declaredAt?: number): Promise<boolean> {
    if (declaredAt !== undefined && this.find(ref)?.declaredAt !== declaredAt) return false;
    return this.line(ref.queue).remove(ref.id);
  }

  async due(asked: readonly AskedSchedules[]): Promise<DueSchedules> {
    const now = this.clock.now();
    const found: MemorySchedule[] = [];
    let nextAt = Infinity;
    for (const [queue, skip] of new Map(asked.map(({ queue, skip }) => [queue, skip]))) {
      const line = this.line(queue);
      const opensAt = Math.max(line.opensAt, this.queues.look(queue).pausedUntil);
      const due = opensAt > now ? { schedules: [], nextAt: opensAt } : line.due(now, skip, duePerCall);
      found.push(...due.schedules);
      nextAt = Math.min(nextAt, due.nextAt);
    }
    found.sort((a, b) => a.lookAt - b.lookAt);
    const isCut = found.length > duePerCall;
    return {
      schedules: found.slice(0, duePerCall).map((schedule) => ({ ...recordOf(schedule), now })),
      nextInMs: isCut ? 0 : nextAt - now,
    };
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

  async list(queue: string, { limit, after }: { limit: number; after?: string }): Promise<SchedulePage> {
    return this.line(queue).page(limit, after);
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

  /** Puts one where its rule begins, with the past that it has. */
  private store(schedule: NewSchedule, past: Past): void {
    const now = this.clock.now();
    const { queue, id, job, rule, template, isDeclared } = schedule;
    const nextSlot = schedule.nextSlot === 'now' ? now : schedule.nextSlot;
    const line = this.line(queue);
    this.lines.set(queue, line);
    line.put({
      ...past,
      queue,
      id,
      job,
      rule,
      template,
      firstSlot: schedule.firstSlot ?? nextSlot,
      nextSlot,
      lookAt: nextSlot,
      version: ++this.versions,
      declaredAt: isDeclared ? now : undefined,
    });
    this.queues.get(queue).hasHeldSchedules = true;
    this.queues.bell.ringForSchedules(queue);
  }

  /** An unchanged rule keeps its place; what its tasks are made from may have changed. */
  private takeOver(schedule: MemorySchedule, { job, template, isDeclared }: NewSchedule): void {
    if (schedule.job !== job || schedule.template !== template) schedule.version = ++this.versions;
    schedule.job = job;
    schedule.template = template;
    if (isDeclared) schedule.declaredAt = this.clock.now();
    if (schedule.isPaused || schedule.lookAt === schedule.nextSlot) return;
    this.line(schedule.queue).put(schedule);
    this.queues.bell.ringForSchedules(schedule.queue);
  }

  find({ queue, id }: TaskRef): MemorySchedule | undefined {
    return this.line(queue).get(id);
  }

  /** One that nobody has put anything into is not kept for having been looked at. */
  private line(queue: string): MemoryScheduleLine {
    return this.lines.get(queue) ?? new MemoryScheduleLine();
  }
}
