import type { ApiErrorCode, FieldError } from '../../../lib/dashboard/api.js';

/** Why a call gave nothing. `UNREACHABLE`: there was no answer; `REFUSED`: one of the application's own guards gave it. */
export class ApiFailure extends Error {
  constructor(
    readonly code: ApiErrorCode | 'UNREACHABLE' | 'REFUSED',
    message: string,
    readonly status: number,
    readonly violations: readonly FieldError[] = [],
  ) {
    super(message);
  }

  /** Nothing is wrong with the call itself: it may go well in a moment. */
  get isOutage(): boolean {
    return ['UNREACHABLE', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN'].includes(this.code) || this.status >= 502;
  }
}

export function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure('INTERNAL', error instanceof Error ? error.message : String(error), 0);
}
