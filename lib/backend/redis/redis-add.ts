import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../backend.js';
import { StoreUnavailableError } from '../errors.js';
import type { RedisConnection } from './redis-connection.js';
import { byQueue } from './redis-arguments.js';
import {
  isPlainTask,
  isPlainUniqueTask,
  isSameBeforeKey,
  taskArguments,
  taskText,
  textBeforeKey,
  textBehindKey,
} from './redis-records.js';

/**
 * The calls of this process, each in a line that has one call at a time: so the store need only remember the latest call of
 * each line to know a repeat again, also when its tasks have run and gone.
 */
export class AddLines {
  private readonly name = randomUUID();
  private readonly free: AddLine[] = [];
  private count = 0;

  /** Once `closed` is aborted nothing is tried again. */
  constructor(private readonly closed: AbortSignal) {}

  /** Sends a call until it is answered, for no longer than `timeoutMs`. */
  async send(call: AddCall, timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    const line = this.free.pop() ?? { name: `${this.name}:${this.count++}`, calls: 0 };
    let sent = false;
    try {
      for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
        try {
          return await call.send(line);
        } catch (error) {
          if (!(error instanceof StoreUnavailableError)) throw error;
          sent ||= error.sent;
          if (performance.now() + pauseMs >= until)
            throw new StoreUnavailableError(error.message, sent, { cause: error });
          await setTimeout(pauseMs, undefined, { signal: this.closed });
        }
      }
    } finally {
      this.free.push(line);
    }
  }
}

export interface AddLine {
  readonly name: string;
  /** How many calls it has had. */
  calls: number;
}

const enqueued: Added = Object.freeze({ status: 'enqueued' });

/** The tasks that one call brings, and where the answer for each belongs. */
export class AddCall {
  private readonly tasks: NewTask[] = [];
  private readonly places: { readonly group: Added[]; readonly at: number }[] = [];
  /** Whether all are for one queue and need no more than a short way. */
  private isPlain: boolean;
  private isPlainUnique: boolean;
  private number = 0;
  private rest: AddCall | undefined;

  constructor(
    private readonly connection: RedisConnection,
    /** For how long a repeat may still come. */
    private readonly rememberMs: number,
    private readonly mode: 'independent' | 'all or none',
  ) {
    this.isPlain = this.isPlainUnique = mode === 'independent';
  }

  get size(): number {
    return this.tasks.length;
  }

  push(task: NewTask, group: Added[], at: number): void {
    const isAlike = task.queue === (this.tasks[0] ?? task).queue;
    this.isPlain &&= isAlike && isPlainTask(task);
    this.isPlainUnique &&= isAlike && isPlainUniqueTask(task);
    this.tasks.push(task);
    this.places.push({ group, at });
  }

  /** May be sent again in its line until it is answered: it is then still carried out once. */
  async send(line: AddLine): Promise<void> {
    if (this.number === 0) {
      this.number = ++line.calls;
      this.connection.note(new Set(this.tasks.map(({ queue }) => queue)));
    }
    // What an earlier try has left over is all that is still to do.
    if (this.rest) return this.rest.send(line);
    if (this.isPlain) return this.sendPlain(line);
    return (this.isPlainUnique && this.sendUnique(line)) || this.sendInFull(line);
  }

  private async sendPlain(line: AddLine): Promise<void> {
    const { queue } = this.tasks[0]!;
    const args: (string | number)[] = [this.number, this.rememberMs];
    for (const task of this.tasks) args.push(task.id, taskText(task));
    const odd = (await this.connection.run('addPlain', [queue], args, line.name)) as string;
    for (const { group, at } of this.places) group[at] = enqueued;
    if (odd === '') return;
    this.rest = this.restOf(odd.split(',').slice(0, -1).map(Number));
    await this.rest.send(line);
  }

  /** Ids that are taken: what follows from that is known to the long way only. */
  private restOf(numbers: readonly number[]): AddCall {
    const rest = new AddCall(this.connection, this.rememberMs, this.mode);
    for (const number of numbers) {
      const { group, at } = this.places[number - 1]!;
      rest.push(this.tasks[number - 1]!, group, at);
    }
    rest.isPlain = false;
    return rest;
  }

  /** The short way for unique tasks, where they differ in nothing but id, key and what is to be done. */
  private sendUnique(line: AddLine): Promise<void> | undefined {
    const first = this.tasks[0]!;
    const args: (string | number)[] = [this.number, this.rememberMs, 'f', textBeforeKey(first)];
    for (const task of this.tasks) {
      if (!isSameBeforeKey(task, first)) return undefined;
      args.push(task.id, task.lock!.key, textBehindKey(task));
    }
    return this.run([first.queue], args, line);
  }

  private sendInFull(line: AddLine): Promise<void> {
    const { names, args, order } = byQueue(this.tasks, taskArguments);
    args.unshift(this.number, this.rememberMs, this.mode === 'independent' ? 'i' : 'g');
    return this.run(names, args, line, order);
  }

  /** `order` says which task each answer is for, where they are not in line. */
  private async run(
    queues: readonly string[],
    args: readonly (string | number)[],
    line: AddLine,
    order?: readonly number[],
  ): Promise<void> {
    const [letters, ...others] = (await this.connection.run('add', queues, args, line.name)) as string[];
    for (let place = 0; place < this.tasks.length; place++) {
      const index = order ? order[place]! : place;
      const { group, at } = this.places[index]!;
      group[at] = addedOf(this.tasks[index]!, letters![place]!, others);
    }
  }
}

/** Reads one letter of the answer for a task; those that name another task take it from `others`. */
export function addedOf({ lock }: NewTask, letter: string, others: string[]): Added {
  switch (letter) {
    case 'e':
      return enqueued;
    case 'x':
      return { status: 'existing' };
    case 'd':
      return { status: 'dropped' };
    case 'r': {
      const holder = others.shift();
      return holder ? { status: 'replaced', holder } : { status: 'replaced' };
    }
    case 'j':
      return { status: lock?.onConflict === 'raise' ? 'raised' : 'rejected', holder: others.shift()! };
    default:
      return { status: 'raised', holder: others.shift()! };
  }
}
