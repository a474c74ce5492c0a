import type { Missed } from '../task/due-slots.js';
import { readRule } from '../task/schedule-plan.js';
import type { Overlap, ScheduleRecord } from '../task/schedule-record.js';
import { readTemplate } from '../task/slot-task.js';
import { slotsOf, type SlotRule, type Slots } from '../task/slots.js';
import type { TaskRef } from '../task/task-record.js';
import { readJson } from './json-text.js';
import type { CatalogRedaction } from './redaction.js';
import { ruleWords } from './rule-words.js';
import { dateOf } from './task-info.js';

/** A schedule as the store holds it, readable. */
export interface ScheduleInfo extends TaskRef {
  readonly job: string;
  /** When its slots are; undefined where this version cannot read it. */
  readonly rule: SlotRule | undefined;
  /** The rule in words, such as `at 08:00 on the first of the month, Africa/Accra`. */
  readonly words: string | undefined;
  /** The params of its tasks; undefined where they have none, or where they are no JSON. */
  readonly params: unknown;
  /** As they are stored; empty where there are none. */
  readonly paramsText: string | undefined;
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

/** A schedule with what has become of its latest slots, and the slots to come. */
export interface ScheduleDetails extends ScheduleInfo {
  /** How the latest slots ended whose tasks have ended, the latest first, at most 20. */
  readonly lastSlots: readonly SlotInfo[];
  /** The next five, also while it is paused; none where this version cannot read the rule. */
  readonly nextSlots: readonly Date[];
}

export interface SlotInfo {
  readonly slot: Date;
  /** The id of its task. */
  readonly task: string;
  readonly outcome: 'succeeded' | 'failed' | 'dead' | 'cancelled' | 'lost';
  /** When that was told. */
  readonly at: Date;
}

export function scheduleInfo(record: ScheduleRecord, redaction: CatalogRedaction): ScheduleInfo {
  const { queue, id, job, fired, skipped, isPaused, lastTask } = record;
  const template = readTemplate(record.template);
  const rule = readRule(record.rule);
  const params = template && redaction.params(job, template.params, template.extra);
  return {
    queue,
    id,
    job,
    fired,
    skipped,
    isPaused,
    lastTask,
    rule,
    words: rule && ruleWords(rule),
    params: readJson(params),
    paramsText: params,
    missed: template?.missed,
    overlap: template?.overlap,
    firstSlot: new Date(record.firstSlot),
    lastSlot: dateOf(record.lastSlot),
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
