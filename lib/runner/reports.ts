import type { Backend } from '../backend/backend.js';
import type { RunnerInfo } from '../backend/stats-store.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import { lastAnswer } from './drain.js';
import type { Tally } from './tally.js';

/** After something has happened, and while nothing does. */
const soonMs = 2_000;
const idleMs = 10_000;
/** Three reports may be lost, or late, before a runner is taken for dead. */
const aliveMs = 35_000;
/** How long the end of a runner waits for its last words. */
const lastWordsMs = 2_000;

/**
 * Tells the store from time to time that this runner lives, what it runs and what it has seen. Beside the line: a store that
 * does not answer is told later, and without a word, since whoever brings outcomes complains.
 */
export class Reports {
  private timer: ClockTimer | undefined;
  private underWay: Promise<void> | undefined;
  private isChanged = false;
  private isOver = false;

  constructor(
    private readonly backend: Pick<Backend, 'stats' | 'bell'>,
    private readonly clock: Clock,
    private readonly tally: Tally,
    private readonly info: () => RunnerInfo,
  ) {}

  begin(): void {
    this.report();
  }

  /** A run has begun or ended: to be told soon. */
  changed(): void {
    if (this.isChanged) return;
    this.isChanged = true;
    if (!this.underWay) this.tellIn(soonMs);
  }

  /** With what was not told yet. Never rejects, and does not wait for good. */
  async end(): Promise<void> {
    this.isOver = true;
    this.timer?.cancel();
    let isLate = false;
    const lastWords = async () => {
      await this.underWay;
      if (!this.tally.isEmpty && !isLate) await this.tell();
      if (!isLate) await this.backend.stats.leave(this.info().name);
    };
    await lastAnswer(this.clock, lastWords(), lastWordsMs);
    isLate = true;
  }

  private report(): void {
    this.isChanged = false;
    this.underWay = this.tell().then((isTold) => {
      this.underWay = undefined;
      if (!isTold) return this.tellIn(idleMs);
      if (this.isChanged || !this.tally.isEmpty) this.tellIn(soonMs);
      // A store of this process forgets no runner that has not left: an idle one needs no timer.
      else if (!this.backend.bell.lossless) this.tellIn(idleMs);
    });
  }

  /** Answers whether the store has it. */
  private async tell(): Promise<boolean> {
    const told = this.tally.take();
    try {
      const { lossless } = this.backend.bell;
      await this.backend.stats.report({
        runner: this.info(),
        aliveMs: lossless ? Infinity : aliveMs,
        ...told,
      });
      return true;
    } catch (error) {
      // What may have arrived is not told twice.
      if ((error as { sent?: boolean } | undefined)?.sent === false) this.tally.giveBack(told);
      return false;
    }
  }

  private tellIn(delayMs: number): void {
    this.timer?.cancel();
    if (this.isOver) return;
    // Runners that were begun together must not report together.
    this.timer = this.clock.after(delayMs * (0.9 + Math.random() / 5), () => this.report());
  }
}
