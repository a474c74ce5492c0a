import type { Added } from '../backend/backend.js';
import { LockConflictError } from '../task/errors.js';
import type { NewTask } from '../task/task-record.js';

declare const result: unique symbol;

/** What became of an enqueue. `R` is what the task will result in, for `JobQueue.result`. */
export interface Enqueued<R = unknown> {
  readonly [result]?: R;
  /** The stored task's id. */
  readonly id: string;
  readonly queue: string;
  /**
   * `existing`: a task of this id was there, nothing changed. `replaced`: it was, and gave way. `rejected`: another task
   * holds the unique lock. `vetoed`: a `beforeEnqueue` hook said no.
   */
  readonly status: 'enqueued' | 'existing' | 'replaced' | 'rejected' | 'vetoed';
  /** The task that holds the lock. */
  readonly holder?: string;
}

/** A conflict that is to be raised throws. */
export function enqueuedOf({ id, queue, job }: NewTask, added: Added): Enqueued {
  switch (added.status) {
    case 'enqueued':
    case 'existing':
      return { id, queue, status: added.status };
    case 'replaced':
      return { id: added.holder ?? id, queue, status: 'replaced' };
    case 'raised':
      throw new LockConflictError(job, id, added.holder);
    case 'rejected':
      return { id, queue, status: 'rejected', holder: added.holder };
    case 'dropped':
      return { id, queue, status: 'rejected' };
  }
}
