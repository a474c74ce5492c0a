import { JobsError } from '../task/errors.js';

/** A class that is enqueued as a job, but carries no decorator that makes it one. */
export class NotAJobError extends JobsError {
  readonly code = 'NOT_A_JOB';

  constructor(readonly job: string) {
    super(`${job} is not a job: decorate the class with @Job()`);
  }
}

/** A job that no module of this application provides. */
export class JobNotProvidedError extends JobsError {
  readonly code = 'JOB_NOT_PROVIDED';

  constructor(
    readonly job: string,
    why: string,
  ) {
    super(`${job} is not provided: ${why}; add it to the providers of a module`);
  }
}

export class DuplicateJobError extends JobsError {
  readonly code = 'DUPLICATE_JOB';

  constructor(
    readonly job: string,
    first: string,
    second: string,
  ) {
    super(
      `two jobs are named '${job}' (${first} and ${second}): give one of them another name by the option \`name\``,
    );
  }
}

/** A decorated class or method whose shape cannot work. */
export class InvalidJobError extends JobsError {
  readonly code = 'INVALID_JOB';

  constructor(
    readonly job: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`${job}: ${what}`, options);
  }
}
