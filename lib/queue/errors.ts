import { JobsError } from '../task/errors.js';
import type { Failure, TaskState } from '../task/task-record.js';

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

/** The task whose result was asked for ended dead. Its last failure is the `cause`. */
export class TaskDiedError extends JobsError {
  readonly code = 'TASK_DIED';

  constructor(
    readonly job: string,
    readonly queue: string,
    readonly id: string,
    failure?: Failure,
  ) {
    const why = failure ? `: ${failure.name}: ${failure.message}` : '';
    super(`${job}: task ${id} is dead${why}`, failure && { cause: thrownAs(failure) });
  }
}

/** There is no such task, or it was not kept: nobody can tell its result. */
export class ResultMissingError extends JobsError {
  readonly code = 'RESULT_MISSING';
  readonly queue?: string;
  readonly id: string;

  constructor(
    { queue, id }: { readonly queue?: string; readonly id: string },
    why?: string,
    options?: ErrorOptions,
  ) {
    const where = queue === undefined ? 'any queue' : `queue '${queue}'`;
    const unknown = `there is no such task in ${where}: its id is wrong, or it is not kept; a result is kept with \`keep\``;
    super(`task ${id} has no result: ${why ?? unknown}`, options);
    this.queue = queue;
    this.id = id;
  }
}

/** The task did not come to its end within `timeout`, or the store did not say so. It may still do. */
export class ResultTimeoutError extends JobsError {
  readonly code = 'RESULT_TIMEOUT';
  readonly queue?: string;
  readonly id: string;

  constructor(
    { queue, id }: { readonly queue?: string; readonly id: string },
    readonly timeoutMs: number,
    /** As it was seen last; undefined where the store did not answer. */
    readonly state: TaskState | undefined,
    options?: ErrorOptions,
  ) {
    const seen =
      state === undefined ? 'the store did not say what became of it' : `it was last seen ${state}`;
    super(`task ${id} did not end within ${timeoutMs} ms: ${seen}`, options);
    this.queue = queue;
    this.id = id;
  }
}

/** A stored failure as the error that it was. */
function thrownAs({ name, message, stack }: Failure): Error {
  const error = new Error(message);
  error.name = name;
  error.stack = stack ?? `${name}: ${message}`;
  return error;
}
