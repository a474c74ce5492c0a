import type { NewSchedule, Overlap, ScheduleRecord } from '../task/schedule-record.js';
import type { NewTask, TaskRef } from '../task/task-record.js';
import type { Added, Unanswered } from './answers.js';

export type { NewSchedule, Overlap, ScheduleRecord, StoreSlot } from '../task/schedule-record.js';

/**
 * Rules that make tasks at slots. What a rule means is the scheduler's business; the store keeps its place, and moves it
 * together with the task of the slot. Whatever may bring a slot nearer rings the queue's bell for schedules.
 */
export interface ScheduleStore {
  /** The time of the store's part that has the queue, by which first slots are reckoned. */
  now(queue: string): Promise<number>;
  /**
   * Stores a schedule. Where its queue has one of its id: `absent` leaves that as it is (`existing`). `replace` leaves it where
   * it stands if the rule is the same, but for the job and the template, which are taken over, and ends a deferral; a declared
   * one makes it declared (`existing`). With another rule it puts the new one in its place (`replaced`), unless its `nextSlot`
   * is not after the last slot, which then would fire twice: nothing is done (`passed`). A pause, the last slot, the last task
   * and the counts outlast all of these.
   */
  put(
    schedule: NewSchedule,
    when: 'absent' | 'replace',
  ): Promise<'stored' | 'existing' | 'replaced' | 'passed'>;
  /**
   * Says that a living process declares these, see `declaredAt`; answers those that are gone. Ones that were put by a call
   * are left alone.
   */
  declare(refs: readonly TaskRef[]): Promise<TaskRef[]>;
  /** Where `declaredAt` is given, only one that has not been declared since. */
  remove(ref: TaskRef, declaredAt?: number): Promise<boolean>;
  /**
   * The schedules of these queues whose next slot has come, at most 1,000, and how long until there may be others. They come
   * by next slot, deferred ones later, and so as in `list` within each queue, whose first `skip` are left out. Paused
   * schedules and those of paused queues are not among them. Rejects only where no part of the store answered.
   */
  due(queues: readonly AskedSchedules[]): Promise<DueSchedules>;
  /**
   * Schedules that are due, but that the asker cannot fire: `due` leaves them out for a while, for everybody. One that does
   * not stand at the slot at which it was seen has been fired by another, and is left alone.
   */
  defer(seen: readonly SeenSchedule[], forMs: number): Promise<void>;
  /**
   * Moves schedules on, each from its slot to the next, and adds the slot's task in the same step; in order, so that one
   * schedule may take several steps. Compare-and-set: where another process was first (has moved, paused or removed it),
   * nothing happens and the answer is `lost`. One that is `unanswered` may have been moved or not. Rings no bell for
   * schedules: who sleeps does so until the slot that it saw, and then learns of the next.
   */
  advance(advances: readonly Advance[]): Promise<Advanced[]>;
  get(ref: TaskRef): Promise<ScheduleRecord | undefined>;
  /**
   * In the order in which `due` comes to them: by next slot, deferred ones later, paused ones last. A page goes on at a place in
   * that order, `next` of the page before: a schedule that fires meanwhile may stand on two pages, but is not left out.
   * Text that no page gave is refused with an InvalidOptionError.
   */
  list(queue: string, page: { limit: number; after?: string }): Promise<SchedulePage>;
  /** From now on its slots pass without a task; answers whether there is such a schedule. */
  pause(ref: TaskRef): Promise<boolean>;
  /** Ends a pause and goes on at `nextSlot`; `slot` is where it stood. `lost`: it does not stand there, or is not paused. */
  resume(ref: TaskRef, slot: number, nextSlot: number): Promise<'resumed' | 'lost'>;
}

export interface SchedulePage {
  readonly schedules: ScheduleRecord[];
  /** There may be more: the next page goes on here. */
  readonly next?: string;
}

/** A queue whose due schedules are asked for. */
export interface AskedSchedules {
  readonly queue: string;
  /** How many of the earliest ones are not wanted. */
  readonly skip: number;
}

/** A due schedule, with the time of its part of the store. */
export interface DueSchedule extends ScheduleRecord {
  readonly now: number;
}

/** A schedule as it was seen: where it stood then. */
export type SeenSchedule = Pick<ScheduleRecord, 'queue' | 'id' | 'nextSlot'>;

export interface DueSchedules {
  readonly schedules: DueSchedule[];
  /** 0 where there may be more that are due; Infinity where only a bell can tell. The end of a pause of a queue counts. */
  readonly nextInMs: number;
  /** Queues whose part of the store gave no answer. */
  readonly unanswered?: readonly Unanswered[];
}

export interface Advance extends TaskRef {
  /** Where the schedule must stand, and as which version: one that was put anew since is another. */
  readonly slot: number;
  readonly version: number;
  /** The latest slot that is passed by this step. */
  readonly passes: number;
  /** Undefined ends it: it is gone then. */
  readonly nextSlot: number | undefined;
  /** The task of the slot; its own `slot` may be a later one, where slots before it were missed. */
  readonly task?: NewTask;
  /**
   * Where the task that the schedule made last is live or parked (not where its lease has ended and it would not run again):
   * `skip` adds none, `queue` adds the task all the same, `replace` cancels the other one first, which a runner that has it
   * hears of by the bell; not where a third task keeps the lock of the new one, which is then not added.
   */
  readonly overlap: Overlap;
  /** Slots that are passed over by this step, to be counted; one whose task was not added is counted by itself. */
  readonly skipped: number;
}

export type Advanced =
  | { readonly status: 'lost' }
  | { readonly status: 'unanswered'; readonly reason: Error }
  /** `overlaps` is the task because of which none was added, or which was cancelled. */
  | { readonly status: 'advanced'; readonly added?: Added; readonly overlaps?: string };
