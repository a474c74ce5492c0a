import { randomUUID } from 'node:crypto';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../answers.js';
import { StoreUnavailableError } from '../errors.js';
import { isPlain, plainTaskTexts } from './plain-task.js';
import { answerOf, type PostgresFunctions, type Sequel } from './postgres-functions.js';
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
  /** Begins with the time, so that calls of one time lie together in the index. */
  private readonly name = `${Date.now().toString(36)}-${randomUUID()}`;
  /** The tasks of all. */
  private readonly tasks: readonly NewTask[];
  private readonly isPlain: boolean;

  constructor(
    private readonly waiting: readonly WaitingGroup[],
    /** Rings for tasks of these queues once they are stored. */
    private readonly ring: ((queues: Iterable<string>) => Sequel | undefined) | undefined,
  ) {
    this.tasks = waiting.flatMap(({ group }) => group);
    this.isPlain = this.tasks.every(isPlain);
  }

  /** While nothing has left this process each may still be told so, the first that came before all. */
  get until(): number {
    return this.isSent ? this.waiting.at(-1)!.until : this.waiting[0]!.until;
  }

  /** Answers those who wait, or rejects. `patience` is how long it waits for another transaction. */
  async make(functions: PostgresFunctions, patience?: string): Promise<void> {
    const withinMs = Math.max(this.until - performance.now(), 1);
    try {
      const ring = this.ring?.(this.tasks.map(({ queue }) => queue));
      deliver(this.waiting, await this.ask(functions, withinMs, patience, ring));
    } catch (error) {
      this.isSent ||= !(error instanceof StoreUnavailableError) || error.sent;
      throw error;
    }
  }

  private async ask(
    functions: PostgresFunctions,
    withinMs: number,
    patience: string | undefined,
    ring: Sequel | undefined,
  ): Promise<unknown> {
    const { name: call, tasks, isPlain, waiting } = this;
    if (isPlain && tasks.length === 1) {
      const texts = [call, ...plainTaskTexts(tasks[0]!)];
      return answerOf(await functions.ask('add_one_v1', texts, withinMs, ring));
    }
    const sizes = waiting.map(({ group }) => group.length);
    const argument = { call, plain: isPlain || undefined, patience, tasks: tasks.map(taskArgument), sizes };
    return functions.call('add_v1', argument, withinMs, ring);
  }

  refuse(cause: Error): void {
    const error =
      cause instanceof StoreUnavailableError && cause.sent !== this.isSent
        ? new StoreUnavailableError(cause.message, this.isSent, { cause })
        : cause;
    for (const { answer } of this.waiting) answer(error);
  }
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
