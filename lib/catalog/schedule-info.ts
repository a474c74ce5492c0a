import type { Missed } from '../task/due-slots.js';
import { readRule } from '../task/schedule-plan.js';
import type { Overlap, ScheduleRecord } from '../task/schedule-record.js';
import { readTemplate } from '../task/slot-task.js';
import { slotsOf, type SlotRule, type Slots } from '../task/slots.js';
import type { TaskRef } from '../task/task-record.js';

/** A schedule as the store holds it, readable. */
export interface ScheduleInfo extends TaskRef {
  readonly job: string;
  /** When its slots are; undefined where this version cannot read it. */
  readonly rule: SlotRule | undefined;
  /** The params of its tasks, as JSON text; empty where they have none. */
  readonly params: string | undefined;
  readonly missed: Missed | undefined;
  readonly overlap: Overlap | undefined;
  readonly firstSlot: Date;
  /** The latest slot that has passed. */
  readonly lastSlot: Date | undefined;
  /** The slot to come; undefined while it is paused. */
  readonly nextSlot: Date | undefined;
  /** The task of the latest slot that made one. */
  readonly lastTask: string | undefined;
  /** Slots that made a task, and slots that were passed over. */
  readonly fired: number;
  readonly skipped: number;
  readonly isPaused: boolean;
  /** Whether it stands in code. */
  readonly isDeclared: boolean;
}

export function scheduleInfo(record: ScheduleRecord): ScheduleInfo {
  const { queue, id, job, fired, skipped, isPaused, lastTask } = record;
  const template = readTemplate(record.template);
  return {
    queue,
    id,
    job,
    fired,
    skipped,
    isPaused,
    lastTask,
    rule: readRule(record.rule),
    params: template?.params,
    missed: template?.missed,
    overlap: template?.overlap,
    firstSlot: new Date(record.firstSlot),
    lastSlot: record.lastSlot === undefined ? undefined : new Date(record.lastSlot),
    nextSlot: isPaused ? undefined : new Date(record.nextSlot),
    isDeclared: record.declaredAt !== undefined,
  };
}

/**
 * The slots to come after `now`, at most `count`: those that the rule gives, whatever may become of them. Undefined where this
 * process cannot read the rule: it is of a later version, or of a zone that this machine does not know.
 */
export function slotsToCome(record: ScheduleRecord, now: number, count: number): number[] | undefined {
  const slots = slotsOfRecord(record);
  if (!slots) return undefined;
  const found: number[] = [];
  let slot: number | undefined = record.nextSlot > now ? record.nextSlot : slots.after(now);
  for (; slot !== undefined && found.length < count; slot = slots.after(slot)) found.push(slot);
  return found;
}

function slotsOfRecord({ rule, firstSlot }: ScheduleRecord): Slots | undefined {
  try {
    const read = readRule(rule);
    return read && slotsOf(read, firstSlot);
  } catch {
    return undefined;
  }
}
