import type { Clock } from '../../task/clock.js';
import type { NewTask, TaskRef } from '../../task/task-record.js';
import type { Advanced, DueSchedules, NewSchedule, ScheduleRecord, ScheduleStore } from '../backend.js';
import { Heap, type HeapMember } from './heap.js';
import type { MemoryTasks } from './memory-tasks.js';

interface MemorySchedule extends HeapMember {
  readonly queue: string;
  readonly id: string;
  job: string;
  rule: string;
  nextSlot: number;
  lastSlot: number | undefined;
}

interface Line {
  readonly byId: Map<string, MemorySchedule>;
  readonly bySlot: Heap<MemorySchedule>;
}

const duePerCall = 1_000;

export class MemorySchedules implements ScheduleStore {
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly tasks: MemoryTasks,
    private readonly clock: Clock,
  ) {}

  async put(schedule: NewSchedule, replace = false): Promise<'stored' | 'existing' | 'replaced'> {
    const line = this.line(schedule.queue);
    const existing = line.byId.get(schedule.id);
    if (existing && !replace) return 'existing';
    if (existing) line.bySlot.remove(existing);
    const nextSlot = schedule.nextSlot === 'now' ? this.clock.now() : schedule.nextSlot;
    const { queue, id, job, rule } = schedule;
    const stored: MemorySchedule = {
      queue,
      id,
      job,
      rule,
      nextSlot,
      lastSlot: existing?.lastSlot,
      position: -1,
    };
    line.byId.set(id, stored);
    line.bySlot.push(stored);
    return existing ? 'replaced' : 'stored';
  }

  async remove({ queue, id }: TaskRef): Promise<boolean> {
    const line = this.line(queue);
    const schedule = line.byId.get(id);
    if (schedule) line.bySlot.remove(schedule);
    return line.byId.delete(id);
  }

  async due(queues: readonly string[]): Promise<DueSchedules> {
    const now = this.clock.now();
    const schedules: ScheduleRecord[] = [];
    let nextSlot = Infinity;
    for (const queue of queues) {
      const { bySlot } = this.line(queue);
      const due: MemorySchedule[] = [];
      for (let first; (first = bySlot.peek()) && first.nextSlot <= now && due.length < duePerCall;)
        due.push(bySlot.pop()!);
      nextSlot = Math.min(nextSlot, bySlot.peek()?.nextSlot ?? Infinity);
      // Only `advance` moves a schedule on: a process that dies after this look leaves the slot to the others.
      for (const schedule of due) bySlot.push(schedule);
      schedules.push(...due.map(recordOf));
    }
    schedules.sort((a, b) => a.nextSlot - b.nextSlot);
    if (schedules.length > duePerCall) nextSlot = now;
    return { schedules: schedules.slice(0, duePerCall), nextInMs: Math.max(nextSlot - now, 0), now };
  }

  async advance(
    { queue, id }: TaskRef,
    slot: number,
    nextSlot: number | undefined,
    task?: NewTask,
  ): Promise<Advanced> {
    const line = this.line(queue);
    const schedule = line.byId.get(id);
    if (schedule?.nextSlot !== slot) return { status: 'lost' };
    line.bySlot.remove(schedule);
    if (nextSlot === undefined) {
      line.byId.delete(id);
    } else {
      schedule.lastSlot = slot;
      schedule.nextSlot = nextSlot;
      line.bySlot.push(schedule);
    }
    return { status: 'advanced', added: task && this.tasks.addOne(task, this.clock.now()) };
  }

  private line(queue: string): Line {
    let line = this.lines.get(queue);
    if (!line) {
      line = { byId: new Map(), bySlot: new Heap((a, b) => a.nextSlot < b.nextSlot) };
      this.lines.set(queue, line);
    }
    return line;
  }
}

function recordOf({ queue, id, job, rule, nextSlot, lastSlot }: MemorySchedule): ScheduleRecord {
  return { queue, id, job, rule, nextSlot, lastSlot };
}
