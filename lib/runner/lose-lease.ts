import { LeaseLostError } from '../task/errors.js';
import type { Attempt } from './attempt.js';

/** The store does not have an attempt's lease any more: what that says of the attempt. Answers whether it was about a task that is done. */
export function loseLease(attempt: Attempt, now: number): boolean {
  if (attempt.isCommitted) return true;
  if (isBeingCompleted(attempt, now)) return false;
  attempt.isLeaseOver = true;
  if (!attempt.hasOutcome)
    attempt.lose(new LeaseLostError(`task ${attempt.claimed.id} belongs to another runner`));
  return false;
}

/**
 * Whether a transaction of the run's own may have completed the task a moment ago, while the reply to its commit is on the way. It
 * has, if the task is gone before its lease ends, since nobody else can have it by then; after that it may be another's.
 */
function isBeingCompleted({ isInHand, keptUntil }: Attempt, now: number): boolean {
  return isInHand && keptUntil > now;
}
