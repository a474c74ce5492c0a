import type { ApiError, ApiErrorCode, FieldError } from '../api/basics.js';

interface Further {
  readonly violations?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer that is no success. */
export class ApiFailure extends Error {
  readonly violations: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly status: number,
    readonly code: ApiErrorCode,
    message: string,
    { violations, headers = {}, cause }: Further = {},
  ) {
    super(message, { cause });
    this.name = 'ApiFailure';
    this.violations = violations;
    this.headers = headers;
  }

  get body(): ApiError {
    const { code, message, violations } = this;
    return { error: { code, message, ...(violations && { violations }) } };
  }
}

/** A field of the request that cannot mean anything. */
export function invalidField(path: string, expected: string): ApiFailure {
  const message = `must be ${expected}`;
  return new ApiFailure(400, 'INVALID_REQUEST', `${path} ${message}`, { violations: [{ path, message }] });
}

export function notFound(what: string): ApiFailure {
  return new ApiFailure(404, 'NOT_FOUND', what);
}

export function noAnswer(why: string, cause?: unknown): ApiFailure {
  const message = `the store of the jobs gives no answer: ${why}`;
  return new ApiFailure(503, 'STORE_UNAVAILABLE', message, { cause, headers: { 'retry-after': '5' } });
}
