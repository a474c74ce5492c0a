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
/** What the statement was about to call was made anew by a newer release, in that very moment: an internal error, in no other words. */
const madeAnew = /^cache lookup failed for/;
/** The same a moment earlier: what a function is made to call is no more, but the next to be called may be the new one. */
const undefinedFunction = '42883';
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
  if (isCollision(error)) return new CollisionError(options);
  if (code === 'XX000' && madeAnew.test(message ?? '')) return new CollisionError(options);
  if (code !== undefined && unusable.test(code))
    return new UnusableStoreError(`${name} cannot be used: ${message}`, options);
  // What the server refused it has not done; where the connection broke, nobody knows.
  const isRefusal = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !outage.test(code);
  const what = isRefusal ? 'refuses' : 'does not answer';
  return new StoreUnavailableError(`${name} ${what}: ${message || code}`, sent && !isRefusal, options);
}

/** Whether the server gave up a transaction that was in the way of another. */
export function isCollision(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code !== undefined && collisions.includes(code);
}

/** Whether the same may be tried at once. */
export function mayPassNow(error: unknown): boolean {
  if (error instanceof CollisionError) return true;
  return (
    error instanceof UnusableStoreError &&
    (error.cause as { code?: string } | undefined)?.code === undefinedFunction
  );
}
