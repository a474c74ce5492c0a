import type { JobsLog } from '../job/jobs-log.js';
import { ContextError } from '../task/errors.js';
import type { Outcome } from '../task/outcome.js';
import { PlainCopy } from '../task/params-plain.js';
import { isPromise } from '../task/realm.js';
import { lineOf } from '../task/stored-error.js';

/** How what an application knows at an enqueue, and keeps in an `AsyncLocalStorage` or the like, is there again at the run. */
export interface ContextOptions {
  /**
   * What a task is to carry, asked at each enqueue; `undefined`: nothing. It must be JSON of at most 8,192 bytes. Throwing
   * rejects the enqueue.
   */
  capture(): unknown;
  /**
   * Calls `next` once, before it returns, in a context made from what was captured, and returns what that returns. Asked for
   * every attempt; where nothing was captured, as for a schedule from code, `value` is undefined. Throwing fails the attempt.
   */
  restore<T>(value: unknown, next: () => T): T;
}

/** It travels with every task, and is read at every run. */
const mostBytes = 8_192;

/** Takes the application's context from the enqueue to the run. */
export class ContextCarrier {
  constructor(
    private readonly options: ContextOptions,
    private readonly log: JobsLog,
  ) {}

  /** As JSON text. */
  capture(job: string): string | undefined {
    try {
      const captured = this.options.capture();
      if (captured === undefined) return undefined;
      if (isPromise(captured)) throw new Error('it answered a promise, but must know at once');
      return textOf(captured);
    } catch (cause) {
      throw new ContextError(job, `context.capture failed, nothing is enqueued: ${lineOf(cause)}`, { cause });
    }
  }

  restore(job: string, value: unknown, next: (failure?: Error) => Promise<Outcome>): Promise<Outcome> {
    let running: Promise<Outcome> | undefined;
    try {
      const answer = this.options.restore(value, () => (running ??= next()));
      if (isPromise(answer)) answer.then(undefined, (error: unknown) => this.complain(job, error));
      return (running ??= next(new ContextError(job, 'context.restore has returned without calling next')));
    } catch (cause) {
      if (running) this.complain(job, cause);
      return (running ??= next(new ContextError(job, `context.restore failed: ${lineOf(cause)}`, { cause })));
    }
  }

  /** The attempt has begun: it ends as it does, whatever becomes of what is around it. */
  private complain(job: string, error: unknown): void {
    this.log.write('error', job, `context.restore failed after it had called next: ${lineOf(error)}`, error);
  }
}

/** What JSON would lose or bend is refused, as with params. */
function textOf(captured: unknown): string {
  const copy = new PlainCopy({});
  const text = JSON.stringify(copy.of(captured));
  const [violation] = copy.violations;
  if (violation) throw new Error(`${violation.path || 'it'}: ${violation.message}`);
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) throw new Error(`it takes ${bytes} bytes, but at most ${mostBytes} are allowed`);
  return text;
}
