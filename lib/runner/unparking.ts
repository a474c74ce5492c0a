import type { JobFingerprint } from '../backend/backend.js';
import type { ClockTimer } from '../task/clock.js';
import { lineOf } from '../task/stored-error.js';
import type { RunnerParts } from './runner-session.js';
import { StoreOutage } from './store-outage.js';

const context = 'JobRunner';

/**
 * Puts back what other definitions of this application's jobs have parked. Once per start and never on a sweep: two versions
 * side by side would pass such a task to and fro.
 */
export class Unparking {
  private readonly outage: StoreOutage;
  private timer: ClockTimer | undefined;
  private isOver = false;

  constructor(
    private readonly parts: RunnerParts,
    private readonly queues: readonly string[],
  ) {
    this.outage = new StoreOutage(parts.clock);
  }

  begin(): void {
    void this.unparkAll();
  }

  end(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  private async unparkAll(): Promise<void> {
    const definitions = this.parts.registry.provided().map(({ definition }) => ({
      job: definition.name,
      fingerprint: definition.fingerprint,
    }));
    const left = [...this.queues];
    while (left.length > 0 && !this.isOver) {
      const queue = left.shift()!;
      const isDone = await this.unpark(queue, definitions);
      // One whose part of the store is silent does not keep the others waiting.
      if (isDone) continue;
      left.push(queue);
      // The answer may have come after the end, which had no timer to call off.
      if (!this.isOver) await this.pause();
    }
  }

  /** Answers whether the store has answered. */
  private async unpark(queue: string, definitions: readonly JobFingerprint[]): Promise<boolean> {
    const { backend, log, lines } = this.parts;
    let total = 0;
    try {
      let after: string | undefined;
      do {
        const answer = await backend.tasks.unpark(queue, definitions, after);
        this.outage.answered();
        total += answer.count;
        ({ after } = answer);
      } while (after !== undefined && !this.isOver);
      return true;
    } catch (error) {
      const isNews = this.outage.failed() && !this.isOver;
      if (isNews)
        log.write('warn', context, `parked tasks of queue ${queue} cannot be put back yet: ${lineOf(error)}`);
      return false;
    } finally {
      if (total > 0) lines.unparked(queue, total);
    }
  }

  /** An end in between leaves it open, for nobody. */
  private pause(): Promise<void> {
    const { clock } = this.parts;
    return new Promise((resolve) => {
      this.timer = clock.after(this.outage.pausedUntil - clock.elapsed(), resolve);
    });
  }
}
