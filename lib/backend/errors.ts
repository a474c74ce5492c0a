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

/** Tasks that belong together, but whose queues a cluster keeps apart: nothing of them was stored. */
export class CrossSlotError extends JobsError {
  readonly code = 'CROSS_SLOT';

  constructor(readonly queues: readonly string[]) {
    super(
      `a bulk cannot be stored in one step: its queues ${queues.map((queue) => `'${queue}'`).join(', ')} lie in several ` +
        'slots of the Redis cluster; give them a common hash tag, as in {mail}.high and {mail}.low, or make a bulk for each',
    );
  }
}

/** What was given as `transaction` cannot be joined, or is not in a transaction: nothing was stored. */
export class UnsupportedTransactionError extends JobsError {
  readonly code = 'UNSUPPORTED_TRANSACTION';

  constructor(
    /** The name of its class, or its type. */
    readonly given: string,
    why: string,
    readonly supported: readonly string[],
  ) {
    super(`cannot join the given transaction (${given}): ${why}; supported are ${supported.join(', ')}`);
  }
}
