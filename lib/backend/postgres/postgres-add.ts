import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../answers.js';
import { StoreUnavailableError } from '../errors.js';
import type { PostgresFunctions } from './postgres-functions.js';
import type { KnownQueues } from './postgres-queues.js';
import { taskArgument } from './postgres-records.js';
import { HeldUpError } from './postgres-refusal.js';

/** Statements under way at a time: while one waits for the disk the next is worked on. */
const mostUnderWay = 2;
/** Tasks of several callers that one statement takes at most. */
const tasksPerCall = 1_000;
/** Before a call that got no answer, or was held up by another transaction, is made again. */
const pauseMs = 50;

interface Waiting {
  readonly group: readonly NewTask[];
  /** When whoever asked stops waiting. */
  readonly until: number;
  readonly answer: (added: Added[] | Error) => void;
}

/**
 * Brings groups of tasks to the database. Those that come while the statements before them are under way share the next
 * one, and each is answered when that is committed.
 */
export class AddLine {
  private readonly waiting: Waiting[] = [];
  private underWay = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly queues: KnownQueues,
    private readonly timeoutMs: number,
    private readonly closed: AbortSignal,
  ) {
    closed.addEventListener('abort', () => clearTimeout(this.timer), { once: true });
  }

  add(group: readonly NewTask[]): Promise<Added[] | Error> {
    return new Promise((resolve) => {
      // Somewhat earlier than whoever asked gives up: it is to hear whether anything left this process.
      const withinMs = this.timeoutMs - Math.min(this.timeoutMs / 10, 100);
      this.waiting.push({ group, until: performance.now() + withinMs, answer: resolve });
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
    if (this.waiting.length > 0) this.expireLater();
  }

  /** Those that never got their turn are told so in time; the first came first. */
  private expireLater(): void {
    if (this.timer || this.closed.aborted) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const late = this.waiting.findIndex(({ until }) => until > performance.now());
      refuse(this.waiting.splice(0, late < 0 ? this.waiting.length : late), false, noTurn());
      if (this.waiting.length > 0) this.expireLater();
    }, this.waiting[0]!.until - performance.now());
  }

  private take(): Waiting[] {
    let tasks = 0;
    let count = 0;
    for (const { group } of this.waiting) {
      if (count > 0 && tasks + group.length > tasksPerCall) break;
      tasks += group.length;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  /** Never rejects. A call that got no answer is repeated as it was: the database knows it again. */
  private async store(batch: readonly Waiting[]): Promise<void> {
    const argument = {
      call: randomUUID(),
      tasks: batch.flatMap(({ group }) => group.map(taskArgument)),
      sizes: batch.map(({ group }) => group.length),
    };
    const queues = batch.flatMap(({ group }) => group.map(({ queue }) => queue));
    let isKnown = false;
    let sent = false;
    for (;;) {
      // While nothing has left this process each may still be told so, the first that came before all.
      const until = sent ? batch.at(-1)!.until : batch[0]!.until;
      const leftMs = () => Math.max(until - performance.now(), 1);
      try {
        await this.queues.know(queues, leftMs());
        isKnown = true;
        const answer = await this.functions.call('add_v1', argument, leftMs());
        return deliver(batch, answer as StoredAnswer);
      } catch (error) {
        if (error instanceof HeldUpError && batch.length > 1 && !sent) return this.storeApart(batch);
        const isHopeless = !(error instanceof StoreUnavailableError) || this.closed.aborted;
        sent ||= isKnown && (!(error instanceof StoreUnavailableError) || error.sent);
        if (isHopeless) return refuse(batch, sent, error as Error);
        if (performance.now() + pauseMs >= until) {
          if (sent && until < batch.at(-1)!.until) continue;
          return sent ? refuse(batch, sent, error) : this.storeRest(batch, error);
        }
      }
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }

  /** Without those whose time is over. */
  private async storeRest(batch: readonly Waiting[], error: Error): Promise<void> {
    const over = new Set(batch.filter(({ until }) => performance.now() + pauseMs >= until));
    refuse([...over], false, error);
    const rest = batch.filter((one) => !over.has(one));
    if (rest.length > 0) await this.store(rest);
  }

  /** An open transaction has the id or the lock of one of them: the others need not wait for it. */
  private async storeApart(batch: readonly Waiting[]): Promise<void> {
    // Not waited for: it may take as long as that transaction, and the line is for all.
    for (const one of batch) void this.store([one]);
  }
}

/** Nothing where all were enqueued. */
export type StoredAnswer = readonly [status: string, holder?: string | null][] | undefined;

const enqueued: Added = Object.freeze({ status: 'enqueued' });

function deliver(batch: readonly Waiting[], answer: StoredAnswer): void {
  let at = 0;
  for (const { group, answer: tell } of batch)
    tell(group.map(() => (answer ? addedOf(answer[at++]!) : enqueued)));
}

export function addedOf([status, holder]: readonly [status: string, holder?: string | null]): Added {
  return (typeof holder === 'string' ? { status, holder } : { status }) as Added;
}

function noTurn(): Error {
  const why = 'no connection took the task in time: all of them wait for the server, or none is free';
  return new StoreUnavailableError(why, false);
}

function refuse(batch: readonly Waiting[], sent: boolean, cause: Error): void {
  const error =
    cause instanceof StoreUnavailableError && cause.sent !== sent
      ? new StoreUnavailableError(cause.message, sent, { cause })
      : cause;
  for (const { answer } of batch) answer(error);
}
