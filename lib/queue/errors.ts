import { JobsError } from '../task/errors.js';

/** The store did not take a task, or did not say so in time. */
export class EnqueueFailedError extends JobsError {
  readonly code: 'ENQUEUE_FAILED' | 'ENQUEUE_TIMEOUT' = 'ENQUEUE_FAILED';

  constructor(
    readonly job: string,
    /** The task's id: a repeat with this `id` makes no second task while the first is there, or is kept. */
    readonly id: string,
    /** Whether the store may have got the task; false where it never left this process. */
    readonly sent: boolean,
    why: string,
    options?: ErrorOptions,
  ) {
    super(`${job}: task ${id} was not enqueued: ${why}`, options);
  }
}

/** The store did not answer within `enqueueTimeout`. */
export class EnqueueTimeoutError extends EnqueueFailedError {
  override readonly code = 'ENQUEUE_TIMEOUT';

  constructor(job: string, id: string, timeoutMs: number) {
    super(
      job,
      id,
      true,
      `the store did not answer within ${timeoutMs} ms; it may have the task all the same`,
    );
  }
}

/** A bulk that was used after its block ended, or that grew too large. */
export class BulkError extends JobsError {
  readonly code = 'BULK';
}

/** The application has closed, or has not opened, its store. */
export class QueueClosedError extends JobsError {
  readonly code = 'QUEUE_CLOSED';
}
