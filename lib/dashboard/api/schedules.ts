import type { PageQuery, Ref } from './basics.js';
import type { Content } from './tasks.js';

export interface ScheduleQuery extends PageQuery {
  readonly queue?: readonly string[];
  readonly job?: readonly string[];
  readonly isPaused?: boolean;
  readonly text?: string;
}

/** In the order of their next slots, paused ones last; those of more than 25 queues, 25 queues at a time. */
export interface ScheduleList {
  readonly schedules: readonly ScheduleRow[];
  readonly next?: string;
  readonly isComplete: boolean;
}

export interface ScheduleRow extends Ref {
  readonly job: string;
  /** The rule in words; left out where this version cannot read it. */
  readonly words?: string;
  /** The rule as it was written: a cron text or a span. */
  readonly rule?: string;
  /** Of a cron text. */
  readonly timeZone?: string;
  readonly isPaused: boolean;
  /** It stands in code: removed, it is back when a process that declares it starts. */
  readonly isDeclared: boolean;
  /** The latest slot that has passed. */
  readonly lastSlot?: number;
  /** Left out while it is paused. */
  readonly nextSlot?: number;
  /** The task of the latest slot that made one. */
  readonly lastTask?: string;
  /** Slots that made a task, and slots that were passed over. */
  readonly fired: number;
  readonly skipped: number;
}

export interface ScheduleDetails extends ScheduleRow {
  readonly params: Content;
  readonly missed?: string;
  readonly overlap?: string;
  readonly firstSlot: number;
  /** The next five, also while it is paused. */
  readonly nextSlots: readonly number[];
  /** How the latest slots ended whose tasks have ended, the latest first, at most 20. */
  readonly lastSlots: readonly SlotOutcome[];
}

export interface SlotOutcome {
  readonly slot: number;
  /** The id of its task. */
  readonly task: string;
  readonly outcome: 'succeeded' | 'failed' | 'dead' | 'cancelled' | 'lost';
  /** When that was told. */
  readonly at: number;
}

export type ScheduleAction = 'run' | 'pause' | 'resume' | 'remove';

export interface ScheduleActRequest extends Ref {
  readonly action: ScheduleAction;
}

export interface ScheduleActed {
  /** `left`: it already was so. `taken`: another task holds the lock of the one that `run` would make. */
  readonly outcome: 'done' | 'left' | 'taken';
  /** The task that `run` made. */
  readonly task?: Ref;
}
