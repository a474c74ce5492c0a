import { setTimeout as pause } from 'node:timers/promises';
import type { NewTask } from '../../task/task-record.js';
import type { Added } from '../answers.js';
import { StoreUnavailableError } from '../errors.js';
import { AddCall, type WaitingGroup } from './postgres-add-call.js';
import type { PostgresFunctions, Sequel } from './postgres-functions.js';
import { HeldLine } from './postgres-held-line.js';
import type { KnownQueues } from './postgres-queues.js';
import { HeldUpError } from './postgres-refusal.js';

/** Statements under way at a time: while one waits for the disk the next is worked on. */
const mostUnderWay = 2;
/** Tasks of several callers that one statement takes at most. */
const tasksPerCall = 1_000;
/** Before a call that got no answer is made again. */
const pauseMs = 50;
/** With less time than this no call is begun again: it would hardly be answered, and its silence would tell nobody anything. */
const leastMs = 2 * pauseMs;

/**
 * Brings groups of tasks to the database. Those that come while the statements before them are under way share the next
 * one, and each is answered when that is committed.
 */
export class AddLine {
  private readonly waiting: WaitingGroup[] = [];
  private readonly held: HeldLine | undefined;
  private underWay = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly functions: PostgresFunctions,
    private readonly queues: KnownQueues,
    private readonly timeoutMs: number,
    private readonly closed: AbortSignal,
    /** Whether its tasks have ids or locks, which an open transaction may have in hand for as long as it likes. */
    mayBeHeld: boolean,
    /** What rings for queues, if it is to leave right behind their tasks. */
    private readonly ring?: (queues: Iterable<string>) => Sequel | undefined,
  ) {
    if (mayBeHeld) this.held = new HeldLine(functions, closed);
    closed.addEventListener('abort', () => clearTimeout(this.timer), { once: true });
  }

  add(group: readonly NewTask[]): Promise<Added[] | Error> {
    return new Promise((resolve) => {
      // Somewhat earlier than whoever asked gives up: it is to hear whether anything left this process.
      const withinMs = this.timeoutMs - Math.min(this.timeoutMs / 10, 100);
      const one = { group, until: performance.now() + withinMs, answer: resolve };
      // It could but wait, and would keep others waiting.
      if (this.held?.isHeld(group)) return this.held.add(one);
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
    if (this.waiting.length > 0) this.expireLater();
  }

  /** Those that never got their turn are told so in time; the first came first. */
  private expireLater(): void {
    if (this.timer || this.closed.aborted) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const late = this.waiting.findIndex(({ until }) => until > performance.now());
      const why = 'no connection took the task in time: all of them wait for the server, or none is free';
      const over = this.waiting.splice(0, late < 0 ? this.waiting.length : late);
      for (const { answer } of over) answer(new StoreUnavailableError(why, false));
      if (this.waiting.length > 0) this.expireLater();
    }, this.waiting[0]!.until - performance.now());
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
    const call = new AddCall(batch, this.ring);
    const queues = batch.flatMap(({ group }) => group.map(({ queue }) => queue));
    let said: Error | undefined;
    for (;;) {
      try {
        await this.queues.know(queues, Math.max(call.until - performance.now(), 1));
        return await call.make(this.functions);
      } catch (caught) {
        const error = tellingOf(said, caught as Error);
        said = error;
        // An open transaction has the id or the lock of one of them: the others need not wait for it, nor does this line. What
        // keeps plain tasks waiting is the table itself, and keeps all of them: they stay together.
        const { held } = this;
        if (held && error instanceof HeldUpError && !call.isSent)
          return batch.forEach((one) => held.add(one));
        if (!(error instanceof StoreUnavailableError) || this.closed.aborted) return call.refuse(error);
        if (performance.now() + leastMs >= call.until) {
          if (call.isSent) return call.refuse(error);
          return this.storeRest(batch, error);
        }
      }
      await pause(pauseMs * (0.5 + Math.random()));
    }
  }

  /** Nothing has left this process: those whose time is over are told so, the others go again. */
  private async storeRest(batch: readonly WaitingGroup[], error: Error): Promise<void> {
    const rest = batch.filter(({ until }) => performance.now() + leastMs < until);
    for (const one of batch) if (!rest.includes(one)) one.answer(error);
    if (rest.length > 0) await this.store(rest);
  }
}

/** Who waits is to hear what the server said before it, or the way to it, fell silent. */
function tellingOf(said: Error | undefined, error: Error): Error {
  const isSilence = error instanceof StoreUnavailableError && error.cause === undefined;
  if (!isSilence || !said?.cause) return error;
  return new StoreUnavailableError(said.message, error.sent, { cause: said.cause });
}
