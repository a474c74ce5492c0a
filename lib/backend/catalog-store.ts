import type { TaskRecord, TaskRef, TaskState } from '../task/task-record.js';
import type { HeldLock, LockPage, LockRef } from './held-lock.js';

/** After how much of params, results, errors and lines a page ends: no answer outgrows a process or a connection. */
export const pageBytes = 1_000_000;

/** Reading and administering, apart from the hot path. A step that makes work, or ends a pause, rings the bell. */
export interface CatalogStore {
  get(ref: TaskRef): Promise<TaskRecord | undefined>;
  /**
   * Tasks of one state from an index, in the order in which the state is worked off, or backwards; pending ones in order of arrival,
   * since every renewal would move them by the ends of their leases: a page of those looks through all that run. A page goes on at a place in
   * that order, not behind a task: one that is in the state all the while stands on exactly one page, whatever the others do.
   * What is large comes in short pages: one ends after about `pageBytes`, though there is more.
   */
  list(queue: string, state: TaskState, page: PageRequest): Promise<TaskPage>;
  /** Exact, and no dearer for many tasks than for few. */
  counts(queue: string): Promise<Record<TaskState, number>>;
  /** What is to be seen of queues at a glance, in the order asked for; no dearer for many tasks than for few. */
  glance(queues: readonly string[]): Promise<QueueGlance[]>;
  /** Every queue that has held a task or a schedule. */
  queues(): Promise<string[]>;
  /** Dead, cancelled and parked tasks start anew, attempts at 0, and expire no more. Others are left alone. */
  retry(refs: readonly SeenTask[]): Promise<Acted[]>;
  /** Scheduled, waiting and parked tasks end as cancelled; a pending one is asked to stop. */
  cancel(refs: readonly SeenTask[]): Promise<(Acted | 'requested')[]>;
  /** Takes the record away, unless it is pending. */
  remove(refs: readonly SeenTask[]): Promise<Acted[]>;
  /** Scheduled tasks become due now. */
  runNow(refs: readonly SeenTask[]): Promise<Acted[]>;
  /** Stops claims from a queue, for `forMs` or until `resume`. Enqueueing goes on. */
  pause(queue: string, forMs?: number): Promise<void>;
  resume(queue: string): Promise<void>;
  isPaused(queue: string): Promise<boolean>;
  /** A lock, if a task holds it now. */
  lock(ref: LockRef): Promise<HeldLock | undefined>;
  /**
   * The locks of a queue that are held now, in no order: one that is held all the while stands on a page. A page may be
   * shorter than `limit` though there is more.
   */
  locks(queue: string, page: { limit: number; after?: string }): Promise<LockPage>;
  /**
   * Frees a lock; answers whether it was held. The task that held it goes on without it: it frees no other task's, and takes
   * it again only where its phase takes a lock anew: by the next run (`while_executing`), by the run after a failure
   * (`until_executed`), or when it is started anew.
   */
  releaseLock(ref: LockRef): Promise<boolean>;
}

/** A task to be dealt with; where a state is named and it is in another one by now, it is left alone. */
export interface SeenTask extends TaskRef {
  readonly state?: TaskState;
}

/**
 * `left`: the task is in a state in which this cannot be done, or an open transaction of somebody's has it in hand. `taken`: its lock or id belongs to another task by now.
 */
export type Acted = 'done' | 'left' | 'taken' | 'missing';

export interface PageRequest {
  readonly limit: number;
  /** What the page before gave as `next`. Text that no page gave is refused with an InvalidOptionError. */
  readonly after?: string;
  /**
   * The other way round: what is worked off last comes first. Finished tasks stand by when they are removed, then by arrival: what
   * ended last comes first only where all are kept equally long, and what is never removed stands by arrival alone.
   */
  readonly backwards?: boolean;
}

export interface TaskPage {
  readonly tasks: TaskRecord[];
  /** There may be more: the next page goes on here. */
  readonly next?: string;
}

export interface QueueGlance {
  readonly queue: string;
  readonly counts: Record<TaskState, number>;
  /**
   * How many tasks a claim could take: those that wait, and those that have fallen due, though no claim has moved them to waiting
   * yet; of the latter not all may be counted where there are more than 10,000.
   */
  readonly depth: number;
  /**
   * How long the task that has been due longest has been waiting, by the store's clock; undefined where none waits. One that has
   * fallen due counts, though no claim has moved it to waiting yet.
   */
  readonly oldestWaitingMs?: number;
  /** How long the queue is still paused; Infinity: until it is resumed; undefined: it is not. */
  readonly pausedForMs?: number;
}
