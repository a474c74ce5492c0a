import { spanMs, type Span } from './duration.js';
import type { Missed } from './due-slots.js';
import type { EnqueuePlan } from './enqueue-plan.js';
import type { Overlap, ScheduleRecord } from './schedule-record.js';
import type { NewTask, StoreTime, TaskLock } from './task-record.js';

/** What the tasks of a schedule are made from. */
export interface SlotTemplate {
  readonly params: string;
  readonly priority: number;
  readonly retries: number;
  readonly expires?: StoreTime;
  readonly keep?: Span;
  readonly extra?: string;
  readonly lock?: TaskLock;
  readonly missed: Missed;
  readonly overlap: Overlap;
  /** The queue that its code has moved it away from. */
  readonly movedFrom?: string;
}

export function templateText(params: string, plan: EnqueuePlan, lock?: TaskLock, extra = plan.extra): string {
  const { priority, retries, expires, keep, schedule } = plan;
  const { missed, overlap } = schedule!;
  return JSON.stringify({ params, priority, retries, expires, keep, extra, lock, missed, overlap });
}

/** The template of a schedule that was moved here from another queue. */
export function movedTemplate(text: string, movedFrom: string | undefined): string {
  return movedFrom === undefined ? text : JSON.stringify({ ...(JSON.parse(text) as object), movedFrom });
}

/** Undefined where the text is none that this version knows. */
export function readTemplate(text: string): SlotTemplate | undefined {
  try {
    const template = JSON.parse(text) as SlotTemplate | null;
    return typeof template?.params === 'string' ? template : undefined;
  } catch {
    return undefined;
  }
}

/** The slot a task is for, and the one after it. */
export interface SlotOfTask {
  readonly slot: number;
  readonly nextSlot: number | undefined;
}

/** The task of a slot; without one, a task that is run beside the schedule. */
export function buildSlotTask(
  { queue, id, job }: ScheduleRecord,
  template: SlotTemplate,
  token: string,
  nowMs: number,
  of?: SlotOfTask,
): NewTask {
  const { params, priority, retries, expires, keep, lock } = template;
  return {
    queue,
    id: token,
    token,
    job,
    params,
    extra: extraOf(template, of?.nextSlot),
    priority,
    due: of ? { at: of.slot } : { inMs: 0 },
    retries,
    expires,
    keepMs: keep && spanMs(keep, nowMs),
    lock,
    scheduleId: id,
    slot: of?.slot,
  };
}

/** Only a task that may be tried again need know where its schedule goes on. */
function extraOf({ extra, retries }: SlotTemplate, retryBefore: number | undefined): string | undefined {
  if (retries === 0 || retryBefore === undefined) return extra;
  return JSON.stringify({ ...(extra === undefined ? {} : (JSON.parse(extra) as object)), retryBefore });
}
