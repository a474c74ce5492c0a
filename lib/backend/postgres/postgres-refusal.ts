import { StoreUnavailableError, UnusableStoreError } from '../errors.js';

/** Another transaction has what the statement wanted in hand, and keeps it: nothing was done. */
export class HeldUpError extends StoreUnavailableError {
  constructor(options?: ErrorOptions) {
    super('another transaction has the task, its id or its lock in hand', false, options);
  }
}

/** Two transactions were in each other's way: nothing was done, and the same may be tried at once. */
export class CollisionError extends StoreUnavailableError {
  constructor(options?: ErrorOptions) {
    super('postgres gave up one of two transactions that were in each other’s way', false, options);
  }
}

const lockNotAvailable = '55P03';
const collisions = ['40001', '40P01'];
/** The server goes down, is not up yet, has no connection left, or lost this one. */
const outage = /^(08|57P0|53)/;
/** A wrong password, a database that is not there, a right that is missing, a schema that was not made. */
const unusable = /^(28|3D|42501|3F|42883|42P01)/;

/** What a failed statement means. `sent`: the server may have got it. */
export function refusalOf(name: string, error: unknown, sent: boolean): Error {
  if (error instanceof StoreUnavailableError || error instanceof UnusableStoreError) return error;
  const { code, message } = error as { code?: string; message?: string };
  const options = { cause: error };
  if (code === lockNotAvailable) return new HeldUpError(options);
  if (code !== undefined && collisions.includes(code)) return new CollisionError(options);
  if (code !== undefined && unusable.test(code))
    return new UnusableStoreError(`${name} cannot be used: ${message}`, options);
  // What the server refused it has not done; where the connection broke, nobody knows.
  const isRefusal = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !outage.test(code);
  return new StoreUnavailableError(
    `${name} does not answer: ${message || code}`,
    sent && !isRefusal,
    options,
  );
}
