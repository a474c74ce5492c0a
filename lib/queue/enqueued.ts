import type { Added } from '../backend/backend.js';
import type { Enqueued } from '../task/enqueued.js';
import { LockConflictError } from '../task/errors.js';
import type { NewTask } from '../task/task-record.js';

export type { Enqueued } from '../task/enqueued.js';

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
