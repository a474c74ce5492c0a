import type { ApiErrorCode, FieldError } from '../api/basics.js';
import { ApiFailure, noAnswer } from './api-failure.js';

/** What errors of the catalog answer, by their stable codes. */
const known: Record<string, readonly [status: number, code: ApiErrorCode]> = {
  INVALID_OPTION: [400, 'INVALID_REQUEST'],
  INVALID_CURSOR: [400, 'INVALID_CURSOR'],
  INVALID_PARAMS: [422, 'INVALID_PARAMS'],
  PAYLOAD_TOO_LARGE: [413, 'BODY_TOO_LARGE'],
  JOB_NOT_PROVIDED: [404, 'NOT_FOUND'],
  NOT_A_JOB: [404, 'NOT_FOUND'],
  LOCK_CONFLICT: [409, 'CONFLICT'],
};

const ofStore = new Set([
  'STORE_UNAVAILABLE',
  'UNUSABLE_STORE',
  'ENQUEUE_FAILED',
  'ENQUEUE_TIMEOUT',
  'QUEUE_CLOSED',
]);
const ofCode = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

interface KnownError {
  readonly code?: unknown;
  readonly message: string;
  readonly option?: string;
  readonly violations?: readonly FieldError[];
}

/**
 * What an error means to the one who asks. What a catalog's call rejects with is either its own error, or that of a store that
 * could not answer; what only a mistake in code can throw says nothing to the outside.
 */
export function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (!(error instanceof Error) || ofCode.some((type) => error instanceof type)) return internal(error);
  const { code, message, option, violations }: KnownError = error;
  if (typeof code === 'string' && Object.hasOwn(known, code)) {
    const [status, answer] = known[code]!;
    const ofOption = option === undefined ? undefined : [{ path: option, message }];
    return new ApiFailure(status, answer, message, { violations: violations ?? ofOption, cause: error });
  }
  return noAnswer(isOfStore(error) ? message : reasonOf(error), error);
}

/** Whether the package itself says that it is the store's fault. */
export function isOfStore(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' && ofStore.has(code);
}

/** A client's own words may hold addresses, but say more than none to whoever may look at all. */
function reasonOf(error: Error): string {
  const text = error.message || (error as { code?: string }).code || error.name;
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function internal(cause: unknown): ApiFailure {
  return new ApiFailure(500, 'INTERNAL', 'the dashboard failed; the log of the application says why', {
    cause,
  });
}
