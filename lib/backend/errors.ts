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

/** A transaction was given to a store that cannot join one: nothing was stored. */
export class TransactionNotSupportedError extends JobsError {
  readonly code = 'TRANSACTION_NOT_SUPPORTED';

  constructor(job: string, backend: string) {
    super(
      `${job}: the backend '${backend}' cannot be part of a transaction: leave \`transaction\` out, ` +
        "or use the postgres backend on the application's own database",
    );
  }
}

/** Whoever asks is inside a transaction that holds the store's only connection: the answer could never come. */
export class WouldWaitForItselfError extends JobsError {
  readonly code = 'WOULD_WAIT_FOR_ITSELF';

  constructor(job: string, backend: string) {
    super(
      `${job}: ${backend} has one connection, which the transaction around this call holds: ` +
        'give that transaction to the call, as { transaction }, or make the call after it',
    );
  }
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
