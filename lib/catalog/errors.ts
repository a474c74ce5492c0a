import { JobsError, shown } from '../task/errors.js';

/** What was given as `after` is nothing that a page of the same call has given as `next`. */
export class InvalidCursorError extends JobsError {
  readonly code = 'INVALID_CURSOR';

  constructor(
    /** The method that was called. */
    readonly call: string,
    readonly value: unknown,
    why: string,
    options?: ErrorOptions,
  ) {
    super(
      `${call}: after is ${shown(value)}, but ${why}; leave it out to begin anew, or give the \`next\` of a page`,
      options,
    );
  }
}
