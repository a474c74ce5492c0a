import type { LockPhase } from '../task/task-record.js';

/** A unique lock by its name; with a holder, the lock only while that task holds it. */
export interface LockRef {
  readonly queue: string;
  readonly key: string;
  /** The id of a task. */
  readonly holder?: string;
}

/** A unique lock that is valid now. */
export interface HeldLock extends LockRef {
  readonly holder: string;
  /** The holder's. */
  readonly phase: LockPhase;
}

/** Some of the locks of a queue. */
export interface LockPage {
  readonly locks: HeldLock[];
  /** There may be more: the next page begins here. */
  readonly after?: string;
}
