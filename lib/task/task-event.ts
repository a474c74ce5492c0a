import type { Outcome, StoredError } from './outcome.js';
import type { ParkReason, TaskRef } from './task-record.js';

interface OfTask extends TaskRef {
  /** The job's stored name. */
  readonly job: string;
  readonly scheduleId?: string;
  readonly slot?: number;
}

interface OfRun extends OfTask {
  readonly attempt: number;
  /** From due time to claim, by the store's clock, in milliseconds. */
  readonly waitMs: number;
}

interface OfEnd extends OfRun {
  /** From the start of the run to its end, in milliseconds; where its process died, from the claim to when that was found. */
  readonly runMs: number;
}

/**
 * Something that happened to a task in this process. What ends a run is told when the store has it: `succeeded` means that it
 * is stored, and `lost` that the outcome did not count.
 */
export type TaskEvent =
  /** An enqueue stored it, or changed the one that was there. */
  | (OfTask & {
      readonly type: 'enqueued';
      readonly isReplaced: boolean;
      readonly dueInMs: number;
      /** It is written in the caller's transaction, of which nobody here knows whether it commits. */
      readonly inTransaction?: true;
    })
  | (OfRun & { readonly type: 'started' })
  | (OfEnd & { readonly type: 'succeeded'; readonly result?: string })
  /** An attempt failed. Without `retryInMs` it was the last one, and `dead` follows. */
  | (OfEnd & { readonly type: 'failed'; readonly error: StoredError; readonly retryInMs?: number })
  /** Where the process of the last attempt died, no `failed` comes before it. */
  | (OfEnd & { readonly type: 'dead'; readonly error: StoredError })
  | (OfEnd & { readonly type: 'cancelled'; readonly reason: string })
  | (OfEnd & { readonly type: 'snoozed'; readonly delayMs: number })
  /** A lock kept it from running. */
  | (OfEnd & { readonly type: 'rescheduled'; readonly delayMs: number })
  | (OfEnd & { readonly type: 'parked'; readonly reason: ParkReason })
  | (OfEnd & { readonly type: 'handed-back' })
  /** The lease has ended: what this run did about the task does not count. Told by whoever finds it, and by its own process. */
  | (OfEnd & { readonly type: 'lost' });

export type TaskEventType = TaskEvent['type'];

/** What there is to tell of an outcome that was stored. */
export function eventsOf(end: OfEnd, outcome: Outcome): TaskEvent[] {
  switch (outcome.type) {
    case 'succeeded':
      return [{ ...end, type: 'succeeded', result: outcome.result }];
    case 'retry':
      return [{ ...end, type: 'failed', error: outcome.error, retryInMs: outcome.delayMs }];
    case 'dead':
      return [
        { ...end, type: 'failed', error: outcome.error },
        { ...end, type: 'dead', error: outcome.error },
      ];
    case 'cancelled':
      return [{ ...end, type: 'cancelled', reason: outcome.reason }];
    case 'snoozed':
      return [{ ...end, type: 'snoozed', delayMs: outcome.delayMs }];
    case 'conflict':
      return [{ ...end, type: 'rescheduled', delayMs: outcome.delayMs }];
    case 'parked':
      return [{ ...end, type: 'parked', reason: outcome.reason }];
    case 'handed-back':
      return [{ ...end, type: 'handed-back' }];
  }
}
