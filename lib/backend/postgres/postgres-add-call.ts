import { randomUUID } from 'node:crypto';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../answers.js';
import { StoreUnavailableError } from '../errors.js';
import type { PostgresFunctions, Sequel } from './postgres-functions.js';
import { taskArgument } from './postgres-records.js';

/** A group of tasks whose caller waits for the answer. */
export interface WaitingGroup {
  readonly group: readonly NewTask[];
  /** When whoever asked stops waiting. */
  readonly until: number;
  readonly answer: (added: Added[] | Error) => void;
}

/** Groups that go in one statement. A call that got no answer is repeated as it was: the database knows it again. */
export class AddCall {
  /** Whether the database may have got it. */
  isSent = false;
  private readonly argument: Readonly<Record<string, unknown>>;

  constructor(
    private readonly waiting: readonly WaitingGroup[],
    /** Rings for tasks of these queues once they are stored. */
    private readonly ring: ((queues: Iterable<string>) => Sequel | undefined) | undefined,
  ) {
    this.argument = {
      plain: waiting.every(({ group }) => group.every(isPlain)) || undefined,
      // Begins with the time, so that calls of one time lie together in the index.
      call: `${Date.now().toString(36)}-${randomUUID()}`,
      tasks: waiting.flatMap(({ group }) => group.map(taskArgument)),
      sizes: waiting.map(({ group }) => group.length),
    };
  }

  /** While nothing has left this process each may still be told so, the first that came before all. */
  get until(): number {
    return this.isSent ? this.waiting.at(-1)!.until : this.waiting[0]!.until;
  }

  /** Answers those who wait, or rejects. `patience` is how long it waits for another transaction. */
  async make(functions: PostgresFunctions, patience?: string): Promise<void> {
    const withinMs = Math.max(this.until - performance.now(), 1);
    try {
      const ring = this.ring?.(this.queues());
      deliver(this.waiting, await functions.call('add_v1', { ...this.argument, patience }, withinMs, ring));
    } catch (error) {
      this.isSent ||= !(error instanceof StoreUnavailableError) || error.sent;
      throw error;
    }
  }

  private *queues(): Iterable<string> {
    for (const { group } of this.waiting) for (const { queue } of group) yield queue;
  }

  refuse(cause: Error): void {
    const error =
      cause instanceof StoreUnavailableError && cause.sent !== this.isSent
        ? new StoreUnavailableError(cause.message, this.isSent, { cause })
        : cause;
    for (const { answer } of this.waiting) answer(error);
  }
}

/** A fresh task without an id of the caller's or a lock: nobody else can be at it. */
export function isPlain({ id, token, lock, replace }: NewTask): boolean {
  return id === token && !lock && !replace;
}

/** Nothing where all were enqueued. */
export type StoredAnswer = readonly [status: string, holder?: string | null][] | undefined;

const enqueued: Added = Object.freeze({ status: 'enqueued' });

function deliver(waiting: readonly WaitingGroup[], answer: unknown): void {
  let at = 0;
  for (const { group, answer: tell } of waiting)
    tell(group.map(() => (answer ? addedOf((answer as NonNullable<StoredAnswer>)[at++]!) : enqueued)));
}

export function addedOf([status, holder]: readonly [status: string, holder?: string | null]): Added {
  return (typeof holder === 'string' ? { status, holder } : { status }) as Added;
}
