import { JobsError } from '../task/errors.js';

/** The store cannot be reached, or does not answer in time. */
export class StoreUnavailableError extends JobsError {
  readonly code = 'STORE_UNAVAILABLE';

  constructor(
    what: string,
    /** Whether the store may have got the request all the same. */
    readonly sent: boolean,
    options?: ErrorOptions,
  ) {
    super(what, options);
  }
}

/** A store that answers, but cannot be used: a wrong password, a server that is too old … */
export class UnusableStoreError extends JobsError {
  readonly code = 'UNUSABLE_STORE';
}
