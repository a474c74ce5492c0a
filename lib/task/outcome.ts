import type { ParkReason, TaskNotes, TaskRef } from './task-record.js';

/** An error in the form in which it is stored. The store adds the time and the attempt. */
export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** What a run ended in. `keepMs` is how long the finished record stays; 0 removes it at once, Infinity keeps it. */
export type Outcome =
  | { readonly type: 'succeeded'; readonly result?: string; readonly keepMs: number }
  | { readonly type: 'retry'; readonly error: StoredError; readonly delayMs: number }
  | { readonly type: 'dead'; readonly error: StoredError; readonly keepMs: number }
  | { readonly type: 'cancelled'; readonly reason: string; readonly keepMs: number }
  // The four below give the attempt back.
  | { readonly type: 'snoozed'; readonly delayMs: number }
  | { readonly type: 'conflict'; readonly delayMs: number }
  | { readonly type: 'handed-back' }
  // The fingerprint is that of the definition that could not take the task; another one may.
  | { readonly type: 'parked'; readonly reason: ParkReason; readonly fingerprint?: string };

/** A task that a runner holds: the epoch fences every write about it. */
export interface Lease extends TaskRef {
  readonly epoch: number;
  /** What a store gave along with the claim: with the outcome it may want it back. */
  readonly receipt?: string;
}

/** An outcome on its way to the store. */
export interface Settlement extends Lease {
  readonly outcome: Outcome;
  /** What the run had still to say about its task; of no use where the record vanishes with the outcome. */
  readonly notes?: TaskNotes;
  /** An earlier try got no answer: finding nothing left to settle then means that it was settled. */
  readonly repeat?: boolean;
}

/**
 * `cancelled`: the task was asked to stop, and ended so instead of as the outcome says. `unanswered`: the part of the store that
 * has the task was silent. `held`: somebody has it in hand, and nothing was written.
 */
export type Settled = 'settled' | 'cancelled' | 'lost' | 'unanswered' | 'held';
