import type { ApiErrorCode, FieldError } from '../../../lib/dashboard/api.js';

interface Further {
  readonly violations?: readonly FieldError[];
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number;
}

/** Why a call gave nothing. `UNREACHABLE`: there was no answer; `REFUSED`: one of the application's own guards gave it. */
export class ApiFailure extends Error {
  readonly violations: readonly FieldError[];
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: ApiErrorCode | 'UNREACHABLE' | 'REFUSED',
    message: string,
    readonly status: number,
    { violations = [], retryAfterMs }: Further = {},
  ) {
    super(message);
    this.violations = violations;
    this.retryAfterMs = retryAfterMs;
  }

  /** Nothing is answered at all: not even another call would be. */
  get isOutage(): boolean {
    const codes: readonly string[] = ['UNREACHABLE', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN'];
    return codes.includes(this.code) || this.status >= 502 || this.isSignedOut;
  }

  /** Nothing is wrong with the call itself: it may go well in a moment. */
  get isPassing(): boolean {
    return this.isOutage || this.isOverload;
  }

  /** There is no such thing, or no longer. */
  get isGone(): boolean {
    return this.code === 'NOT_FOUND';
  }

  /** It would only become worse by asking as often as before. */
  get isOverload(): boolean {
    return this.status === 429 || (this.status === 500 && this.code === 'INTERNAL');
  }

  get isSignedOut(): boolean {
    return this.code === 'REFUSED' && this.status !== 403;
  }
}

export function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('INTERNAL', error instanceof Error ? error.message : String(error), 0);
}
