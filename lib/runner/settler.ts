import type { TaskStore } from '../backend/backend.js';
import type { Lease, Outcome, Settled } from '../task/outcome.js';
import type { Attempt } from './attempt.js';

/** An attempt whose outcome is not stored yet. */
export interface Unsettled {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
  repeat: boolean;
  /** Its slot is no longer its own: another task may have it already, while the store has yet to acknowledge the outcome. */
  isSlotFree: boolean;
}

/** Keeps outcomes until the store has them: those of the same moment travel together. */
export class Settler {
  private waiting: Unsettled[] = [];

  constructor(private readonly tasks: TaskStore) {}

  /** When there is something to send; Infinity: nothing waits. A queue may be left alone for a while. */
  nextAt(pausedUntil: (queue: string) => number): number {
    let next = Infinity;
    for (const { attempt } of this.waiting) next = Math.min(next, pausedUntil(attempt.claimed.queue));
    return next;
  }

  get size(): number {
    return this.waiting.length;
  }

  add(attempt: Attempt, outcome: Outcome): void {
    // What a transaction may have stored already is told a second time.
    this.waiting.push({ attempt, outcome, repeat: attempt.isCompleting, isSlotFree: false });
  }

  /** What a claim brings after the runner's end is not even watched: it goes back, or its lease ends. */
  handBack(tasks: readonly Lease[]): void {
    const outcome = { type: 'handed-back' } as const;
    const settlements = tasks.map(({ queue, id, epoch }) => ({ queue, id, epoch, outcome }));
    if (tasks.length > 0) this.tasks.settle(settlements).catch(() => undefined);
  }

  /** The oldest, and at most so many. */
  take(most: number, isPaused?: (queue: string) => boolean): Unsettled[] {
    const all = this.waiting;
    this.waiting = [];
    if (!isPaused && all.length <= most) return all;
    const taken: Unsettled[] = [];
    for (const unsettled of all) {
      const isHeld = taken.length === most || isPaused?.(unsettled.attempt.claimed.queue);
      (isHeld ? this.waiting : taken).push(unsettled);
    }
    return taken;
  }

  /** Rejects where the store did not answer; what got no answer then waits for the next try, as a repeat. */
  async send(batch: readonly Unsettled[]): Promise<Settled[]> {
    try {
      const answers = await this.tasks.settle(
        batch.map(({ attempt, attempt: { claimed }, outcome, repeat }) => ({
          queue: claimed.queue,
          id: claimed.id,
          epoch: claimed.epoch,
          receipt: claimed.receipt,
          outcome,
          notes: attempt.notesWith(outcome),
          repeat,
        })),
      );
      if (answers.includes('unanswered'))
        this.keep(batch.filter((_, index) => answers[index] === 'unanswered'));
      return answers;
    } catch (error) {
      this.keep(batch);
      throw error;
    }
  }

  private keep(batch: readonly Unsettled[]): void {
    for (const unsettled of batch) unsettled.repeat = true;
    this.waiting = [...batch, ...this.waiting];
  }
}

/** How many slots of each queue come free when a batch is stored. */
export function slotsLeavingWith(batch: readonly Unsettled[]): Map<string, number> {
  const leaving = new Map<string, number>();
  // A repeat has shown that its slot may well stay taken.
  for (const { attempt, repeat } of batch)
    if (!repeat) leaving.set(attempt.claimed.queue, (leaving.get(attempt.claimed.queue) ?? 0) + 1);
  return leaving;
}
