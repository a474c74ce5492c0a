import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { StoreUnavailableError } from '../errors.js';
import { luaSources } from './lua-sources.js';
import type { RedisKeys } from './redis-keys.js';

export type ScriptName = keyof typeof luaSources;

const shas = Object.fromEntries(
  Object.entries(luaSources).map(([name, source]) => [name, createHash('sha1').update(source).digest('hex')]),
) as Record<ScriptName, string>;

/** Runs scripts, each within a deadline: no caller waits for a server that will not answer. */
export class RedisConnection {
  private readonly noted = new Set<string>();

  constructor(
    readonly client: Redis,
    readonly keys: RedisKeys,
    private readonly deadlineMs: number,
  ) {}

  run(script: ScriptName, queues: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    const keys = queues.flatMap((queue) =>
      script === 'exchange' ? this.keys.busyOf(queue) : this.keys.of(queue),
    );
    return this.answered(script, () => this.evaluate(script, [keys.length, ...keys, ...args]));
  }

  /** Remembers the names of queues that get tasks, for whoever lists them. Only a hint: written beside, not within, a step. */
  note(queues: readonly string[]): void {
    for (const queue of queues) {
      if (this.noted.has(queue)) continue;
      this.noted.add(queue);
      this.client.sadd(this.keys.queues, queue).catch(() => this.noted.delete(queue));
    }
  }

  queues(): Promise<string[]> {
    return this.answered('queues', () => this.client.smembers(this.keys.queues));
  }

  private async evaluate(script: ScriptName, args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.client.call('EVALSHA', [shas[script], ...args]);
    } catch (error) {
      // A server that was restarted, or whose scripts were flushed, has done nothing yet.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.client.call('EVAL', [luaSources[script], ...args]);
    }
  }

  private answered<T>(what: string, ask: () => Promise<T>): Promise<T> {
    if (this.client.status !== 'ready')
      return Promise.reject(
        new StoreUnavailableError(`redis is not connected (${this.client.status})`, false),
      );
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () =>
          reject(
            new StoreUnavailableError(`redis did not answer ${what} within ${this.deadlineMs} ms`, true),
          ),
        this.deadlineMs,
      );
      const failed = (cause: unknown) =>
        reject(
          isReply(cause) ? cause : new StoreUnavailableError(`redis did not answer ${what}`, true, { cause }),
        );
      ask()
        .then(resolve, failed)
        .finally(() => clearTimeout(timer));
    });
  }
}

/** Whether an error is what the server said, rather than that it could not be heard. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}
