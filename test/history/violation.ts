import type { HistoryEvent } from './history-event.js';

/** Looks through a history for what must not be; says what it finds. */
export type Invariant = (history: readonly HistoryEvent[], complain: Complain) => void;

export type Complain = (event: HistoryEvent | undefined, what: string) => void;

export interface Violation {
  readonly invariant: string;
  readonly what: string;
  /** The line of the history at which it shows, from 1; 0: only the whole of it shows it. */
  readonly line: number;
}
