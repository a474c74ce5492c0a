import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../answers.js';
import { StoreUnavailableError } from '../errors.js';
import type { PostgresFunctions } from './postgres-functions.js';
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

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly timeoutMs: number,
    private readonly closed: AbortSignal,
  ) {}

  add(group: readonly NewTask[]): Promise<Added[] | Error> {
    return new Promise((resolve) => {
      this.waiting.push({ group, until: performance.now() + this.timeoutMs, answer: resolve });
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
    const until = Math.max(...batch.map((one) => one.until));
    let sent = false;
    for (;;) {
      try {
        const answer = await this.functions.call('add_v1', argument, Math.max(until - performance.now(), 1));
        return deliver(batch, answer as StoredAnswer);
      } catch (error) {
        if (error instanceof HeldUpError && batch.length > 1) return this.storeApart(batch);
        sent ||= !(error instanceof StoreUnavailableError) || error.sent;
        const isHopeless = !(error instanceof StoreUnavailableError) || this.closed.aborted;
        if (isHopeless || performance.now() + pauseMs >= until) return refuse(batch, sent, error as Error);
      }
      await pause(pauseMs * (0.5 + Math.random()));
    }
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

function refuse(batch: readonly Waiting[], sent: boolean, cause: Error): void {
  const error =
    cause instanceof StoreUnavailableError && cause.sent !== sent
      ? new StoreUnavailableError(cause.message, sent, { cause })
      : cause;
  for (const { answer } of batch) answer(error);
}
