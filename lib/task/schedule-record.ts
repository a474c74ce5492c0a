import type { TaskRef } from './task-record.js';

/** What a slot does while the task of the slot before it is still live. */
export type Overlap = 'skip' | 'queue' | 'replace';

/** A slot at a point in time, or `now`: the moment the schedule is stored. */
export type StoreSlot = number | 'now';

/** A schedule as it is handed to the store. */
export interface NewSchedule extends TaskRef {
  readonly job: string;
  /** When its slots are, as text; opaque to the store, which only compares it. */
  readonly rule: string;
  /** What its tasks are made from, as text; opaque to the store. */
  readonly template: string;
  /** The slot at which it is to stand. */
  readonly nextSlot: StoreSlot;
  /** The slot at which its rule begins, where that is another. */
  readonly firstSlot?: number;
  /** What it brings along from another queue, where it is stored anew. */
  readonly lastSlot?: number;
  readonly isPaused?: boolean;
  /** It stands in code: only processes that declare it fire it. */
  readonly isDeclared: boolean;
}

/** A schedule as the store holds it. */
export interface ScheduleRecord extends TaskRef {
  readonly job: string;
  readonly rule: string;
  readonly template: string;
  /** The slot at which this rule began: the grid of a span counts from here. */
  readonly firstSlot: number;
  readonly nextSlot: number;
  /** The latest slot that was passed, as far as the store was told: an advance's own, or that of its task. */
  readonly lastSlot?: number;
  /** The task of the latest slot that made one; where its lock let it change the holder instead, the holder. */
  readonly lastTask?: string;
  /** Slots that made a task, and slots that were passed over. */
  readonly fired: number;
  readonly skipped: number;
  readonly isPaused: boolean;
  /** Another one after every put that changed anything, also where the schedule was gone in between. */
  readonly version: number;
  /** When a process last said that its code declares it; absent where it was put by a call. */
  readonly declaredAt?: number;
}
