import type { Unanswered } from '../backend/backend.js';
import { QueueOutages } from './queue-outages.js';

/** The queues of a runner whose part of the store gives no answer to its claims. */
export class SilentQueues extends QueueOutages {
  /** Queues whose answer to a claim was lost: the store may hold tasks in our name that we do not know of. */
  readonly unheard = new Set<string>();

  /** A claim of these queues was answered, but for those that gave none. */
  claimed(
    asked: readonly { readonly queue: string }[],
    /** Only then was given back what an earlier answer, lost on its way, had brought. */
    saidWhatIsHeld: boolean,
    unanswered: readonly Unanswered[] = [],
  ): void {
    for (const { queue } of asked) {
      const reason = unanswered.find((one) => one.queue === queue)?.reason as { sent?: boolean } | undefined;
      // What never left cannot have been answered.
      if (reason && reason.sent !== false) this.unheard.add(queue);
      if (!reason && saidWhatIsHeld) this.unheard.delete(queue);
      if (!reason) this.answered(queue);
    }
    if (unanswered.length > 0) this.failed(unanswered);
  }
}
