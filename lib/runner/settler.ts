import type { TaskStore } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import type { Lease, Outcome, Settled } from '../task/outcome.js';
import type { Attempt } from './attempt.js';

/** An attempt whose outcome is not stored yet. */
export interface Unsettled {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
  repeat: boolean;
  /** Its slot is no longer its own: another task may have it already, while the store has yet to acknowledge the outcome. */
  isSlotFree: boolean;
  /** How often the task was found in somebody's hands. */
  timesHeld: number;
}

/** Before an outcome is offered again whose task was in somebody's hands: longer each time, to the longest. */
const heldPauseMs = 20;
const longestHeldPauseMs = 1_000;

/** Keeps outcomes until the store has them: those of the same moment travel together. */
export class Settler {
  private waiting: Unsettled[] = [];
  /** Those whose tasks are in somebody's hands, and when they are offered again. */
  private readonly held = new Map<Unsettled, number>();

  constructor(
    private readonly tasks: TaskStore,
    private readonly clock: Clock,
  ) {}

  /** When there is something to send; Infinity: nothing waits. Queues may be left alone for a while, where that is given. */
  nextAt(pausedUntil: ((queue: string) => number) | undefined): number {
    // Asked after every exchange, while hundreds may wait.
    if (this.waiting.length > 0 && !pausedUntil) return -Infinity;
    let next = Infinity;
    for (const until of this.held.values()) next = Math.min(next, until);
    if (!pausedUntil) return next;
    for (const { attempt } of this.waiting) next = Math.min(next, pausedUntil(attempt.claimed.queue));
    return next;
  }

  get size(): number {
    return this.waiting.length;
  }

  /** Outcomes that the store does not have, whatever they wait for. */
  get unstored(): number {
    return this.waiting.length + this.held.size;
  }

  add(attempt: Attempt, outcome: Outcome): void {
    // What a transaction may have stored already is told a second time.
    this.waiting.push({ attempt, outcome, repeat: attempt.isCompleting, isSlotFree: false, timesHeld: 0 });
  }

  /** What a claim brings after the runner's end is not even watched: it goes back, or its lease ends. */
  handBack(tasks: readonly Lease[]): void {
    const outcome = { type: 'handed-back' } as const;
    const settlements = tasks.map(({ queue, id, epoch }) => ({ queue, id, epoch, outcome }));
    if (tasks.length > 0) this.tasks.settle(settlements).catch(() => undefined);
  }

  /** All that is left, however long it was to wait. */
  takeAll(): Unsettled[] {
    const all = [...this.waiting, ...this.held.keys()];
    this.waiting = [];
    this.held.clear();
    return all;
  }

  /** The oldest, and at most so many. */
  take(most: number, isPaused?: (queue: string) => boolean): Unsettled[] {
    if (this.held.size > 0) this.letGo();
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

  /**
   * Rejects where the store did not answer; what got no answer then waits for the next try, as a repeat. `slotStays` is told the
   * queue of each slot that is not free by that.
   */
  async send(batch: readonly Unsettled[], slotStays: (queue: string) => void): Promise<Settled[]> {
    const stay = (some: readonly Unsettled[]) => {
      for (const { attempt, isSlotFree } of some) if (!isSlotFree) slotStays(attempt.claimed.queue);
      return some;
    };
    try {
      const answers = await this.tasks.settle(
        batch.map(({ attempt, attempt: { claimed }, outcome, repeat, timesHeld }) => ({
          queue: claimed.queue,
          id: claimed.id,
          epoch: claimed.epoch,
          // One that was held goes by itself: it must not hold up those that are told in bulk.
          receipt: timesHeld > 0 ? undefined : claimed.receipt,
          outcome,
          notes: attempt.notesWith(outcome),
          repeat,
        })),
      );
      if (answers.includes('unanswered'))
        this.keep(stay(batch.filter((_, index) => answers[index] === 'unanswered')));
      if (answers.includes('held')) this.hold(stay(batch.filter((_, index) => answers[index] === 'held')));
      return answers;
    } catch (error) {
      this.keep(stay(batch));
      throw error;
    }
  }

  private hold(batch: readonly Unsettled[]): void {
    for (const unsettled of batch) {
      const pauseMs = Math.min(heldPauseMs * 2 ** unsettled.timesHeld++, longestHeldPauseMs);
      this.held.set(unsettled, this.clock.elapsed() + pauseMs);
    }
  }

  /** Those that have been left alone for long enough go with the others. */
  private letGo(): void {
    const now = this.clock.elapsed();
    for (const [unsettled, until] of this.held) {
      if (until > now) continue;
      this.held.delete(unsettled);
      this.waiting.push(unsettled);
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
  // A repeat has shown that its slot may well stay taken, and so has one that was held.
  for (const { attempt, repeat, timesHeld } of batch)
    if (!repeat && timesHeld === 0)
      leaving.set(attempt.claimed.queue, (leaving.get(attempt.claimed.queue) ?? 0) + 1);
  return leaving;
}
