import { setTimeout as pause } from 'node:timers/promises';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../answers.js';
import { StoreUnavailableError } from '../errors.js';
import { AddCall, type WaitingGroup } from './postgres-add-call.js';
import type { PostgresFunctions } from './postgres-functions.js';
import { HeldLine } from './postgres-held-line.js';
import { HeldUpError } from './postgres-refusal.js';

/** Statements under way at a time: while one waits for the disk the next is worked on. */
const mostUnderWay = 2;
/** Tasks of several callers that one statement takes at most. */
const tasksPerCall = 1_000;
/** Before a call that got no answer is made again. */
const pauseMs = 50;

/**
 * Brings groups of tasks to the database. Those that come while the statements before them are under way share the next
 * one, and each is answered when that is committed.
 */
export class AddLine {
  private readonly waiting: WaitingGroup[] = [];
  private readonly held: HeldLine;
  private underWay = 0;

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly timeoutMs: number,
    private readonly closed: AbortSignal,
  ) {
    this.held = new HeldLine(functions, closed);
  }

  add(group: readonly NewTask[]): Promise<Added[] | Error> {
    return new Promise((resolve) => {
      const one = { group, until: performance.now() + this.timeoutMs, answer: resolve };
      // It could but wait, and would keep others waiting.
      if (this.held.isHeld(group)) return this.held.add(one);
      this.waiting.push(one);
      // What is added in the same moment is to be aboard.
      if (this.waiting.length === 1) queueMicrotask(() => this.send());
    });
  }

  private send(): void {
    while (this.underWay < mostUnderWay && this.waiting.length > 0) {
      const batch = this.take();
      this.underWay++;
      void this.store(batch).finally(() => {
        this.underWay--;
        this.send();
      });
    }
  }

  private take(): WaitingGroup[] {
    let tasks = 0;
    let count = 0;
    for (const { group } of this.waiting) {
      if (count > 0 && tasks + group.length > tasksPerCall) break;
      tasks += group.length;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  /** Never rejects. */
  private async store(batch: readonly WaitingGroup[]): Promise<void> {
    const call = new AddCall(batch);
    for (;;) {
      try {
        return await call.make(this.functions);
      } catch (error) {
        // An open transaction has the id or the lock of one of them: the others need not wait for it, nor does this line.
        if (error instanceof HeldUpError) return batch.forEach((one) => this.held.add(one));
        const isHopeless = !(error instanceof StoreUnavailableError) || this.closed.aborted;
        if (isHopeless || performance.now() + pauseMs >= call.until) return call.refuse(error as Error);
      }
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }
}
