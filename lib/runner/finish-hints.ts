import type { EventWire } from '../backend/event-wire.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import { finishHints } from '../task/finish-hint.js';
import type { Outcome } from '../task/outcome.js';
import type { TaskRef } from '../task/task-record.js';
import { nextTurn } from '../task/turns.js';

/** Not more often, however many tasks finish: a notice costs a server as much for one as for a hundred. */
const pauseBetweenMs = 50;
/** What is left out is found by those who wait for it, a little later. */
const mostTexts = 10;
const mostRefs = 2_000;

/** Tells every process on the store which tasks have finished and are kept, so that whoever waits for one need not ask. */
export class FinishHints {
  private readonly pauseMs: number;
  private refs: TaskRef[] = [];
  private sentAt = -Infinity;
  private timer: ClockTimer | undefined;
  private isSending = false;
  private isOver = false;

  constructor(
    private readonly wire: EventWire,
    private readonly clock: Clock,
    /** Whether the store is in this process, where a notice costs nothing. */
    isLocal: boolean,
  ) {
    this.pauseMs = isLocal ? 0 : pauseBetweenMs;
  }

  /** The store has this outcome. */
  settled({ queue, id }: TaskRef, outcome: Outcome): void {
    if ('keepMs' in outcome && outcome.keepMs > 0) this.ended({ queue, id });
  }

  /** A task has finished, and is kept. */
  ended({ queue, id }: TaskRef): void {
    if (this.refs.length === mostRefs) return;
    this.refs.push({ queue, id });
    if (this.timer || this.isSending || this.isOver) return;
    const waitMs = this.sentAt + this.pauseMs - this.clock.elapsed();
    if (waitMs > 0) this.timer = this.clock.after(waitMs, () => this.send());
    else {
      // Those that were stored in the same moment travel together.
      this.isSending = true;
      nextTurn(() => this.send());
    }
  }

  /** Sends the last ones. */
  end(): void {
    this.isOver = true;
    this.send();
  }

  private send(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.isSending = false;
    if (this.refs.length === 0) return;
    const refs = this.refs;
    this.refs = [];
    this.sentAt = this.clock.elapsed();
    for (const text of finishHints(refs, mostTexts)) this.wire.send(text);
  }
}
