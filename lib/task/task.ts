import { inspect } from 'node:util';
import { InvalidOptionError, TaskFailedError } from './errors.js';
import { toMs, type Duration } from './duration.js';
import { isError } from './realm.js';
import type { Mask } from './redact-text.js';
import { taskFields } from './task-fields.js';

/** What a task is made from, for a handler or a hook. */
export interface TaskFacts {
  readonly id: string;
  readonly job: string;
  readonly queue: string;
  readonly priority: number;
  readonly attempt: number;
  readonly failures: number;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  readonly scheduleId?: string;
  readonly slot?: number;
}

/** Where the lines of a task go. */
export interface TaskLines {
  write(level: 'log', job: string, message: string, error?: undefined, fields?: object): void;
  /** Takes out what is not to be seen; absent where all may be. */
  readonly mask?: Mask;
}

/** Completes a task in a transaction of the application's. */
export interface TaskCompletion {
  transaction<R>(work: (transaction: unknown) => R | Promise<R>): Promise<R>;
  complete(transaction: unknown, result?: unknown): Promise<void>;
}

/** Keeps what a run says about its task. */
export interface TaskJournal {
  log(message: string): void;
  progress(percent: number, note?: string): void;
}

/** What a handler said about its own end, by `fail` or `snooze`. It counts even where user code catches the throw. */
export type Verdict =
  | { readonly type: 'fail'; readonly error: TaskFailedError; readonly mayRetry: boolean }
  | { readonly type: 'snooze'; readonly delayMs: number };

/** Thrown by `snooze` to leave the handler; never an error of the task. */
export class Snoozed extends Error {
  override readonly name = 'Snoozed';
}

declare const input: unique symbol;

/**
 * What a handler and a hook get: the task, and the ways to speak about it. `In` is what `enqueue` takes, where a schema
 * turns it into something else.
 */
export class Task<P = unknown, In = P> {
  declare readonly [input]?: In;

  readonly id: string;
  /** The job's stored name. */
  readonly job: string;
  readonly queue: string;
  readonly params: P;
  readonly priority: number;
  /** Counts from 1 and does not count attempts that were given back; 0 while the task is being enqueued. */
  readonly attempt: number;
  /** Failed and lost attempts so far. */
  readonly failures: number;
  readonly scheduleId?: string;

  readonly #facts: TaskFacts;
  #controller: AbortController | undefined;
  #verdict: Verdict | undefined;
  #end: { willRetry: boolean; error?: unknown; result?: unknown } | undefined;
  readonly #lines: TaskLines;
  readonly #completion: (() => TaskCompletion) | undefined;
  readonly #journal: TaskJournal | undefined;

  /** @internal */
  constructor(
    facts: TaskFacts,
    params: P,
    lines: TaskLines,
    completion?: () => TaskCompletion,
    /** There while it runs. */
    journal?: TaskJournal,
  ) {
    this.id = facts.id;
    this.job = facts.job;
    this.queue = facts.queue;
    this.params = params;
    this.priority = facts.priority;
    this.attempt = facts.attempt;
    this.failures = facts.failures;
    this.scheduleId = facts.scheduleId;
    this.#facts = facts;
    this.#lines = lines;
    this.#completion = completion;
    this.#journal = journal;
  }

  /** @internal The same under another id: the one that was stored, where that is a task which gave way. */
  storedAs(id: string): Task<P, In> {
    return id === this.id ? this : new Task({ ...this.#facts, id }, this.params, this.#lines);
  }

  get enqueuedAt(): Date {
    return new Date(this.#facts.enqueuedAt);
  }

  /** When it was to run: the end of its delay, or of the pause before this retry. */
  get dueAt(): Date {
    return new Date(this.#facts.dueAt);
  }

  /** The moment of its schedule that this task is for. */
  get slot(): Date | undefined {
    const { slot } = this.#facts;
    return slot === undefined ? undefined : new Date(slot);
  }

  /** Aborts when the attempt is over although the handler is not: timeout, cancellation, a lost lease, the end of a drain. */
  get signal(): AbortSignal {
    // Made when first asked for: most handlers never look, and a controller costs as much as a small task.
    return (this.#controller ??= new AbortController()).signal;
  }

  /** In `afterRun`: whether a failed task runs again. */
  get willRetry(): boolean {
    return this.#end?.willRetry ?? false;
  }

  /** In `afterRun`: what the attempt failed with. */
  get error(): unknown {
    return this.#end?.error;
  }

  /** In `afterRun`: what `run` returned. */
  get result(): unknown {
    return this.#end?.result;
  }

  /**
   * Writes a line under the job's name, and keeps it with the task: the latest 100, of at most 2,000 bytes each and 64 KiB in
   * one run. Where the task is being enqueued there is nothing yet to keep it with.
   */
  log(message: string): void {
    const said = this.#shown(message);
    this.#lines.write('log', this.job, said, undefined, taskFields(this));
    this.#journal?.log(typeof said === 'string' ? said : inspect(said));
  }

  /**
   * Says how far the task is, from 0 to 100, which `JobCatalog` then shows; what lies beyond becomes 0 or 100. Calls are free:
   * the latest is stored, at most twice a second.
   */
  progress(percent: number, note?: string): void {
    const { job } = this;
    if (typeof percent !== 'number' || Number.isNaN(percent))
      throw new InvalidOptionError(job, 'progress', percent, 'a number from 0 to 100');
    if (note !== undefined && typeof note !== 'string')
      throw new InvalidOptionError(job, 'the note of a progress', note, 'a text');
    if (!this.#journal)
      throw new InvalidOptionError(job, 'progress', percent, 'told in a run, not while the task is enqueued');
    this.#journal.progress(
      Math.min(Math.max(percent, 0), 100),
      note === undefined ? note : this.#shown(note),
    );
  }

  /** Fails the attempt; with `retry: false` the task is dead at once. */
  fail(reason?: string | Error, { retry = true }: { retry?: boolean } = {}): never {
    const isThrown = isError(reason);
    const error = new TaskFailedError(
      isThrown ? reason.message : (reason ?? `${this.job} failed`),
      isThrown ? { cause: reason } : undefined,
    );
    this.#verdict = { type: 'fail', error, mayRetry: retry };
    throw error;
  }

  /** Runs the task again after `delay`; costs no attempt. */
  snooze(delay: Duration): never {
    const delayMs = toMs(delay, { where: this.job, option: 'snooze' });
    this.#verdict = { type: 'snooze', delayMs };
    throw new Snoozed(`${this.job} snoozed for ${delayMs} ms`);
  }

  /**
   * Runs `work` in a transaction of the job store's database, and commits what it did together with the task's success:
   * both are there, or neither is, and the attempt has failed. With the postgres backend `work` gets a client of `pg`, with
   * pglite its transaction. What `work` resolves to is the task's result.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the handler knows which backend it runs on
  transaction<R, Tx = unknown>(work: (transaction: Tx) => R | Promise<R>): Promise<R> {
    return this.completing().transaction(work as (transaction: unknown) => R | Promise<R>);
  }

  /** The same in a transaction of the application's own, whose commit then completes the task. */
  complete(transaction: unknown, result?: unknown): Promise<void> {
    return this.completing().complete(transaction, result);
  }

  /** @internal */
  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** @internal Takes out of a text what is not to be seen of the params; undefined where all may be. */
  get mask(): Mask | undefined {
    return this.#lines.mask;
  }

  /** Without what the job hides of its params. */
  #shown(text: string): string {
    const { mask } = this;
    return mask ? mask(typeof text === 'string' ? text : inspect(text)) : text;
  }

  private completing(): TaskCompletion {
    if (!this.#completion)
      throw new TaskFailedError(`${this.job}: a task is completed while it runs, not in a hook`);
    return this.#completion();
  }

  /** @internal */
  abort(reason: Error): void {
    (this.#controller ??= new AbortController()).abort(reason);
  }

  /** @internal */
  end(end: { willRetry: boolean; error?: unknown; result?: unknown }): void {
    this.#end = end;
  }
}
