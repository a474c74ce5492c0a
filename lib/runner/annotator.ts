import type { TaskStore } from '../backend/backend.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import type { Lease } from '../task/outcome.js';
import type { TaskNotes } from '../task/task-record.js';
import type { Attempt, Scribe } from './attempt.js';
import { StoreOutage } from './store-outage.js';

const pauseMs = 500;
/** Tasks and lines that one call carries; the rest waits for the next. */
const mostPerCall = 2_000;

/**
 * Brings to the store what running tasks say about themselves: from time to time, for all of them in one call, and never in
 * the way of their outcomes. What a run has said last travels with its outcome.
 */
export class Annotator implements Scribe {
  private readonly unsent = new Set<Attempt>();
  private readonly outage: StoreOutage;
  private timer: ClockTimer | undefined;
  private isSending = false;
  private isOver = false;

  constructor(
    private readonly tasks: Pick<TaskStore, 'annotate'>,
    private readonly clock: Clock,
  ) {
    this.outage = new StoreOutage(clock);
  }

  now(): number {
    return this.clock.now();
  }

  noted(attempt: Attempt): void {
    this.unsent.add(attempt);
    this.sendSoon();
  }

  /** Its outcome takes along what is left. */
  leave(attempt: Attempt): void {
    this.unsent.delete(attempt);
  }

  end(): void {
    this.isOver = true;
    this.timer?.cancel();
    this.unsent.clear();
  }

  private sendSoon(): void {
    if (this.timer || this.isSending || this.isOver || this.unsent.size === 0) return;
    const delayMs = Math.max(pauseMs, this.outage.pausedUntil - this.clock.elapsed());
    this.timer = this.clock.after(delayMs, () => {
      this.timer = undefined;
      void this.send();
    });
  }

  private async send(): Promise<void> {
    const { attempts, notes } = this.take();
    if (notes.length === 0) return this.sendSoon();
    this.isSending = true;
    try {
      await this.tasks.annotate(notes);
      this.outage.answered();
      for (const attempt of attempts) attempt.notes!.sent();
    } catch {
      // Whoever brings outcomes says that the store is away.
      this.outage.failed();
      for (const attempt of attempts) this.keep(attempt);
    } finally {
      this.isSending = false;
      this.sendSoon();
    }
  }

  private take() {
    const attempts: Attempt[] = [];
    const notes: (Lease & { readonly notes: TaskNotes })[] = [];
    let size = 0;
    for (const attempt of this.unsent) {
      if (size >= mostPerCall) break;
      // Its record cannot be written: what it says goes with its outcome, or when that transaction is over.
      if (attempt.isInHand) continue;
      this.unsent.delete(attempt);
      const taken = attempt.isLost ? undefined : attempt.notes!.take();
      if (!taken) continue;
      const { queue, id, epoch, receipt } = attempt.claimed;
      attempts.push(attempt);
      notes.push({ queue, id, epoch, receipt, notes: taken });
      size += 1 + (taken.lines?.length ?? 0);
    }
    return { attempts, notes };
  }

  /** For the next try, or for its outcome, where that has not left yet. */
  private keep(attempt: Attempt): void {
    attempt.notes!.unsent();
    if (!attempt.hasOutcome) this.unsent.add(attempt);
  }
}
