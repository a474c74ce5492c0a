import type { Added, Backend } from '../backend/backend.js';
import { CrossSlotError } from '../backend/errors.js';
import type { Clock, ClockTimer } from '../task/clock.js';
import type { NewTask } from '../task/task-record.js';
import { lineOf } from '../task/stored-error.js';
import { nextTick, nextTurn } from '../task/turns.js';
import { EnqueueFailedError, EnqueueTimeoutError, QueueClosedError } from './errors.js';

interface Waiting {
  readonly group: readonly NewTask[];
  readonly resolve: (added: Added[]) => void;
  readonly reject: (error: Error) => void;
}

/** How long callers may keep the event loop from turning by enqueueing one task after the other. */
const longestBurstMs = 10;

/**
 * Brings tasks to the store: what is enqueued in the same moment travels together, and each call is answered only when
 * the store has answered for it.
 */
export class Adder {
  private waiting: Waiting[] = [];
  private readonly underWay = new Map<readonly Waiting[], ClockTimer>();
  private isOpen = false;
  private burstSince: number | undefined;

  constructor(
    private readonly backend: Pick<Backend, 'tasks'>,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  open(): void {
    this.isOpen = true;
  }

  /** Whoever still waits for the store gets an answer now. */
  close(): void {
    this.isOpen = false;
    const why = new Error('the application has closed');
    for (const batch of this.underWay.keys()) {
      this.refuse(batch, why, true);
      this.over(batch);
    }
    this.refuse(this.waiting, why, false);
    this.waiting = [];
  }

  checkOpen(job: string): void {
    if (!this.isOpen)
      throw new QueueClosedError(`${job}: the application is not running: its job store is not open`);
  }

  async add(group: readonly NewTask[]): Promise<Added[]> {
    this.checkOpen(group[0]!.job);
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) this.sendSoon();
      this.waiting.push({ group, resolve, reject });
    });
  }

  /** When the promise callbacks of this moment are through, so that all their calls are aboard. */
  private sendSoon(): void {
    const now = performance.now();
    if (this.burstSince === undefined) {
      this.burstSince = now;
      nextTurn(() => (this.burstSince = undefined));
    }
    // A store that answers at once would otherwise let a loop of awaited calls keep everybody else waiting.
    if (now - this.burstSince > longestBurstMs) nextTurn(() => void this.send());
    else nextTick(() => void this.send());
  }

  private async send(): Promise<void> {
    const waiting = this.waiting;
    if (waiting.length === 0) return;
    this.waiting = [];
    // One for all, or for each part of the store: who waits for a part that is silent must not keep the others waiting.
    const { tasks } = this.backend;
    if (tasks.mayBeHeld) await this.sendHeld(waiting, tasks.mayBeHeld.bind(tasks));
    else await Promise.all(this.batchesOf(waiting).map((batch) => this.sendBatch(batch, [batch])));
  }

  private async sendHeld(
    waiting: readonly Waiting[],
    mayBeHeld: (group: readonly NewTask[]) => boolean,
  ): Promise<void> {
    const others: Waiting[] = [];
    const held: Waiting[][] = [];
    for (const one of waiting) {
      if (mayBeHeld(one.group)) held.push([one]);
      else others.push(one);
    }
    await this.sendBatch(waiting, others.length > 0 ? [others, ...held] : held);
  }

  private batchesOf(waiting: readonly Waiting[]): (readonly Waiting[])[] {
    const { tasks } = this.backend;
    if (!tasks.partOf) return this.halvesOf(waiting, tasks.isWideFrom);
    const batches = new Map<number, Waiting[]>();
    for (const one of waiting) {
      const part = tasks.partOf(one.group[0]!.queue);
      const batch = batches.get(part);
      if (batch) batch.push(one);
      else batches.set(part, [one]);
    }
    return [...batches.values()];
  }

  /**
   * Many who await one task each, and then the next, would all wait while the store works, and the store while they do. In two
   * halves they take turns from then on. What comes while others are under way is a half already.
   */
  private halvesOf(waiting: readonly Waiting[], isWideFrom = 32): (readonly Waiting[])[] {
    if (waiting.length < 2 * isWideFrom || this.underWay.size > 0) return [waiting];
    const middle = waiting.length >> 1;
    return [waiting.slice(0, middle), waiting.slice(middle)];
  }

  /** What leaves in one moment has one time limit, in however many calls, each of which is answered by itself. */
  private async sendBatch(batch: readonly Waiting[], calls: readonly (readonly Waiting[])[]): Promise<void> {
    this.underWay.set(
      batch,
      this.clock.after(this.timeoutMs, () => this.timeOut(batch)),
    );
    await Promise.all(calls.map((call) => this.ask(call)));
    this.over(batch);
  }

  private async ask(call: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.backend.tasks.add(call.map(({ group }) => group));
      call.forEach((one, index) => {
        const answer = answers[index]!;
        if (!Array.isArray(answer)) this.refuse([one], answer);
        else one.resolve(answer);
      });
    } catch (error) {
      this.refuse(call, error);
    }
  }

  private timeOut(batch: readonly Waiting[]): void {
    for (const { group, reject } of batch)
      reject(new EnqueueTimeoutError(group[0]!.job, group[0]!.id, this.timeoutMs));
    this.over(batch);
  }

  /** A store that knows that nothing left this process says so. */
  private refuse(
    batch: readonly Waiting[],
    cause: unknown,
    sent = (cause as { sent?: boolean } | undefined)?.sent ?? true,
  ): void {
    for (const { group, reject } of batch)
      reject(
        cause instanceof CrossSlotError
          ? cause
          : new EnqueueFailedError(group[0]!.job, group[0]!.id, sent, lineOf(cause), { cause }),
      );
  }

  private over(batch: readonly Waiting[]): void {
    this.underWay.get(batch)?.cancel();
    this.underWay.delete(batch);
  }
}
