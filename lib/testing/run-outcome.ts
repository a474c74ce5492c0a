import type { Outcome, StoredError } from '../task/outcome.js';
import type { ParkReason } from '../task/task-record.js';
import type { Task } from '../task/task.js';

/** What a run ended in; errors and results are those of the handler, not copies. */
export type RunOutcome<R = unknown> =
  | { readonly type: 'succeeded'; readonly result: R }
  /** It runs again after `delayMs`. */
  | { readonly type: 'failed'; readonly error: unknown; readonly willRetry: true; readonly delayMs: number }
  /** It failed, and was the last attempt. */
  | { readonly type: 'dead'; readonly error: unknown; readonly willRetry: false }
  | { readonly type: 'snoozed'; readonly delayMs: number }
  | { readonly type: 'cancelled'; readonly reason: string; readonly error: unknown }
  /** Another task holds its lock: it tries again after `delayMs`. */
  | { readonly type: 'rescheduled'; readonly delayMs: number }
  | { readonly type: 'parked'; readonly reason: ParkReason }
  /** The application closed meanwhile. */
  | { readonly type: 'handed-back' };

/** How a run ended, as `afterRun` is told. */
export type RunEnd = Pick<Task, 'error' | 'result'>;

export function runOutcome<R>(outcome: Outcome, end: RunEnd | undefined): RunOutcome<R> {
  switch (outcome.type) {
    case 'succeeded':
      return { type: 'succeeded', result: end?.result as R };
    case 'retry': {
      const error = end ? end.error : errorOf(outcome.error);
      return { type: 'failed', error, willRetry: true, delayMs: outcome.delayMs };
    }
    case 'dead':
      return { type: 'dead', error: end ? end.error : errorOf(outcome.error), willRetry: false };
    case 'cancelled':
      return { type: 'cancelled', reason: outcome.reason, error: end?.error };
    case 'snoozed':
      return { type: 'snoozed', delayMs: outcome.delayMs };
    case 'conflict':
      return { type: 'rescheduled', delayMs: outcome.delayMs };
    case 'parked':
      return { type: 'parked', reason: outcome.reason };
    case 'handed-back':
      return { type: 'handed-back' };
  }
}

/** Where a hook kept the error from being told. */
function errorOf({ name, message, stack }: StoredError): Error {
  return Object.assign(new Error(message), { name, stack });
}
