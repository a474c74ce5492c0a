/** What every error of this package is: recognise it by class or by its stable `code`, never by its message. */
export abstract class JobsError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** An option of the module, of a job or of an enqueue call that cannot mean anything. */
export class InvalidOptionError extends JobsError {
  readonly code = 'INVALID_OPTION';

  constructor(
    /** What was being configured: a job's name, `JobsModule.forRoot` … */
    readonly where: string,
    readonly option: string,
    readonly value: unknown,
    expected: string,
  ) {
    super(`${where}: ${option} is ${shown(value)}, but must be ${expected}`);
  }
}

/** One thing that is wrong with params; `path` is empty where it concerns them as a whole. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** Params that do not pass their job's class or schema, or that would not arrive as they were sent. Lists every violation. */
export class InvalidParamsError extends JobsError {
  readonly code = 'INVALID_PARAMS';

  constructor(
    readonly job: string,
    readonly violations: readonly Violation[],
    options?: ErrorOptions,
  ) {
    super(
      `${job}: invalid params: ` +
        violations.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '),
      options,
    );
  }
}

/** Stored params that are no JSON text. */
export class UnreadableParamsError extends JobsError {
  readonly code = 'UNREADABLE_PARAMS';

  constructor(
    readonly job: string,
    options?: ErrorOptions,
  ) {
    super(`${job}: the stored params cannot be read`, options);
  }
}

export class PayloadTooLargeError extends JobsError {
  readonly code = 'PAYLOAD_TOO_LARGE';

  constructor(
    readonly job: string,
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(
      `${job}: the params take ${bytes} bytes, payloadLimit allows ${limit}; store large data elsewhere and pass its key`,
    );
  }
}

/** The module's `context` option could not capture what a task is to carry, or could not restore it around a run. */
export class ContextError extends JobsError {
  readonly code = 'CONTEXT';

  constructor(
    readonly job: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`${job}: ${what}`, options);
  }
}

/** A handler called `task.fail()`. */
export class TaskFailedError extends JobsError {
  readonly code = 'TASK_FAILED';
}

/** An attempt took longer than its `timeout`. */
export class TaskTimeoutError extends JobsError {
  readonly code = 'TASK_TIMEOUT';

  constructor(
    readonly job: string,
    readonly timeoutMs: number,
  ) {
    super(`${job}: took longer than its timeout of ${timeoutMs} ms`);
  }
}

/** A task was delivered more often than its retries allow: it kept ending its process. */
export class AttemptsExhaustedError extends JobsError {
  readonly code = 'ATTEMPTS_EXHAUSTED';

  constructor(job: string, attempt: number, retries: number) {
    super(`${job}: attempt ${attempt} exceeds the ${retries} retries allowed`);
  }
}

/** Why `task.signal` aborted: the lease went to another runner, or is about to. */
export class LeaseLostError extends JobsError {
  readonly code = 'LEASE_LOST';
}

/** Why `task.signal` aborted: the task was cancelled. */
export class TaskCancelledError extends JobsError {
  readonly code = 'TASK_CANCELLED';
}

/** Why `task.signal` aborted: the process shuts down and `shutdownTimeout` has passed. */
export class ShutdownError extends JobsError {
  readonly code = 'SHUTDOWN';
}

/** Another task holds the unique lock that this one wants. */
export class LockConflictError extends JobsError {
  readonly code = 'LOCK_CONFLICT';

  constructor(
    readonly job: string,
    /** The task that wants the lock. */
    readonly id: string,
    /** The task that holds it. */
    readonly holder: string,
  ) {
    super(`${job}: task ${id} is not unique: task ${holder} holds the lock`);
  }
}

/** A value as a message shows it: short, on one line, and never the cause of another error. */
export function shown(value: unknown): string {
  let text: string | undefined;
  try {
    if (value === undefined) text = 'undefined';
    else if (typeof value === 'function') text = value.name ? `function ${value.name}` : 'a function';
    else if (value instanceof Date) text = String(value);
    else if (typeof value === 'bigint') text = `${value}n`;
    else if (typeof value === 'number') text = String(value);
    else text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  text ??= Object.prototype.toString.call(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
