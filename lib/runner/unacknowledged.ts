import type { Intake } from './intake.js';
import type { Unsettled } from './settler.js';

/**
 * Outcomes that a store has yet to acknowledge, while their slots are filled again already: the next tasks need not wait for
 * its disk. Should it crash meanwhile, these are offered again, or done again; so there are never many.
 */
export class Unacknowledged {
  private count = 0;

  constructor(private readonly intake: Intake) {}

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Nothing more may leave before some are acknowledged. */
  get isFull(): boolean {
    return this.count > 0 && this.count >= this.intake.mostUnacknowledged;
  }

  /** Frees the slots of a batch, and counts it until the answer is there. */
  async until<A>(answer: Promise<A>, batch: readonly Unsettled[]): Promise<A> {
    for (const unsettled of batch) {
      if (!unsettled.isSlotFree) this.intake.release(unsettled.attempt.claimed.queue);
      unsettled.isSlotFree = true;
    }
    this.count += batch.length;
    const answered = await answer;
    this.count -= batch.length;
    return answered;
  }
}
