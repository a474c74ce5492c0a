import { InvalidOptionError } from '../../task/errors.js';
import type { SchedulePage, ScheduleRecord } from '../schedule-store.js';
import type { SlotOutcome } from '../stats-store.js';

/** A schedule as the memory store holds it. */
export type MemorySchedule = { -readonly [Field in keyof ScheduleRecord]: ScheduleRecord[Field] } & {
  /** When `due` looks at it next: at its slot, later where it was deferred, never while it is paused. */
  lookAt: number;
  /** How its latest slots ended, the latest first. */
  outcomes: readonly SlotOutcome[];
};

/**
 * The schedules of one queue, in the order in which they are looked at. A sorted array: a step at its head moves the
 * others, which is quick for as many as a process has, and pages of it cost nothing.
 */
export class MemoryScheduleLine {
  private readonly byId = new Map<string, MemorySchedule>();
  private readonly inOrder: MemorySchedule[] = [];

  get(id: string): MemorySchedule | undefined {
    return this.byId.get(id);
  }

  /** The moment at which the first one is looked at. */
  get opensAt(): number {
    return this.inOrder[0]?.lookAt ?? Infinity;
  }

  /** The due ones behind the first `skip`, at most so many, and the moment at which there are others. */
  due(now: number, skip: number, most: number): { schedules: MemorySchedule[]; nextAt: number } {
    const count = this.place(now, undefined);
    const schedules = this.inOrder.slice(skip, Math.min(count, skip + most));
    return { schedules, nextAt: skip + most < count ? now : (this.inOrder[count]?.lookAt ?? Infinity) };
  }

  page(limit: number, after: string | undefined): SchedulePage {
    const from = after === undefined ? 0 : this.placeBehind(after);
    const page = this.inOrder.slice(from, from + limit);
    const last = page.at(-1);
    const isEnd = from + limit >= this.inOrder.length;
    return {
      schedules: page.map(recordOf),
      next: last && !isEnd ? `${last.lookAt}:${last.id}` : undefined,
    };
  }

  /** Puts a schedule, known or not, where it is looked at at this moment. */
  put(schedule: MemorySchedule, lookAt = schedule.isPaused ? Infinity : schedule.nextSlot): void {
    this.remove(schedule.id);
    schedule.lookAt = lookAt;
    this.byId.set(schedule.id, schedule);
    this.inOrder.splice(this.place(lookAt, schedule.id), 0, schedule);
  }

  remove(id: string): boolean {
    const stored = this.byId.get(id);
    if (stored) this.inOrder.splice(this.place(stored.lookAt, id), 1);
    return this.byId.delete(id);
  }

  /** How many stand up to the place of a cursor. */
  private placeBehind(cursor: string): number {
    const [, time, id] = /^([^:]+):(.*)$/s.exec(cursor) ?? [];
    if (time === undefined || String(Number(time)) !== time || Number.isNaN(Number(time)))
      throw new InvalidOptionError('list', 'after', cursor, 'what a page of schedules gave as next');
    const place = this.place(Number(time), id);
    return this.inOrder[place]?.id === id ? place + 1 : place;
  }

  /** How many stand before this moment and id; without an id, up to this moment. */
  private place(lookAt: number, id: string | undefined): number {
    let [from, to] = [0, this.inOrder.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.inOrder[middle]!;
      const isBefore = other.lookAt !== lookAt ? other.lookAt < lookAt : id === undefined || other.id < id;
      if (isBefore) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** What the outside gets to see: a copy, since schedules move on. */
export function recordOf({
  lookAt: _lookAt,
  outcomes: _outcomes,
  ...schedule
}: MemorySchedule): ScheduleRecord {
  return schedule;
}
