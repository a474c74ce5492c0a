import type { ClaimedTask } from '../backend/backend.js';
import type { TaskExtra } from '../task/enqueue-plan.js';
import type { Outcome } from '../task/outcome.js';

/** What an application puts around attempts: hooks, handler and retry rules alike. */
export interface Around {
  /** Whether anything is to be put around the next one; where not, it costs nothing. */
  readonly isWanted: boolean;
  /**
   * Goes through an attempt by calling `next` once, and answers what that answers, which never rejects; with a failure the
   * attempt fails by it, and is not begun.
   */
  attempt(
    claimed: ClaimedTask,
    extra: TaskExtra,
    next: (failure?: Error) => Promise<Outcome>,
  ): Promise<Outcome>;
}
