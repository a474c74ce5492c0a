import type { Outcome, Settled } from '../task/outcome.js';
import type { Unsettled } from './settler.js';

/** What a run ended in that was asked to stop, whatever it says itself; the store knows how long that is kept. */
export const stopped: Outcome = { type: 'cancelled', reason: 'cancelled', keepMs: Infinity };

/** What has become of an outcome that the store has answered for. */
export function storedEnd({ attempt, outcome }: Unsettled, answer: Settled): Outcome | 'lost' {
  // What a transaction of the run's own has stored cannot be lost any more.
  if (answer === 'lost' && !attempt.isCommitted) return 'lost';
  return answer === 'cancelled' && outcome.type !== 'cancelled' ? stopped : outcome;
}
