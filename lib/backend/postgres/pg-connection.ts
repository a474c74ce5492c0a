import { StoreUnavailableError } from '../errors.js';
import type { PgPool, PgPoolClient } from './drivers.js';
import { refusalOf } from './postgres-refusal.js';
import type { Row, SqlConnection, SqlStatement } from './sql-connection.js';

/**
 * Runs statements on the connections of a pool. One that does not answer in time is cut off: it may be half open. The
 * time of a caller counts from the call, that of a connection from when it was asked: where many call at once, a late
 * turn says nothing against the connection, and to cut it off would only make the others later still. Nor does a caller
 * who had little time left.
 */
export class PgConnection implements SqlConnection {
  /** Ends what is waited for, at the close. */
  private readonly waits = new Set<() => void>();

  constructor(
    private readonly name: string,
    private readonly pool: PgPool,
    /** Whether a connection stays with one session of the server, so that it may prepare what it is asked for. */
    private readonly prepares: boolean,
  ) {}

  async query(
    { name, text }: SqlStatement,
    values: readonly string[],
    withinMs: number,
  ): Promise<readonly Row[]> {
    const until = performance.now() + withinMs;
    const client = await this.connect(withinMs);
    const statement = { name: this.prepares ? name : undefined, text, values: values as string[] };
    const answer = this.ask(client, statement, withinMs);
    return new Promise((resolve, reject) => {
      const over = this.within(until - performance.now(), () => reject(this.unanswered(withinMs)));
      answer.then(resolve, reject).finally(over);
    });
  }

  /** Asks, and gives the connection back when it has answered, however late that is, or cuts it off. */
  private async ask(
    client: PgPoolClient,
    statement: { name: string | undefined; text: string; values: string[] },
    withinMs: number,
  ): Promise<readonly Row[]> {
    let isCutOff = false;
    const over = this.within(Math.max(withinMs, leastMs), () => {
      isCutOff = true;
      client.release(true);
    });
    client.on('error', unheard);
    try {
      const { rows } = await client.query(statement);
      if (!isCutOff) client.release();
      return rows;
    } catch (error) {
      if (isCutOff) throw this.unanswered(withinMs);
      // After an error of the server the connection is as good as before; without one it is broken.
      client.release(isBroken(error));
      throw refusalOf(this.name, error, true);
    } finally {
      client.off('error', unheard);
      over();
    }
  }

  private unanswered(withinMs: number): StoreUnavailableError {
    return new StoreUnavailableError(`${this.name} did not answer within ${Math.round(withinMs)} ms`, true);
  }

  /** Nobody waits any longer, neither for a connection nor for an answer. */
  close(): void {
    for (const end of this.waits) end();
  }

  /** A pool whose connections are all taken, or cannot be made, keeps nobody waiting past the time. */
  private connect(withinMs: number): Promise<PgPoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const over = this.within(withinMs, () => {
        isLate = true;
        const why = 'a connection could not be had: none is free, or the server does not answer';
        reject(new StoreUnavailableError(`${this.name}: ${why} within ${Math.round(withinMs)} ms`, false));
      });
      this.pool.connect().then(
        (client) => {
          over();
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          over();
          reject(refusalOf(this.name, error, false));
        },
      );
    });
  }

  /** Calls `end` when the time is over or at the close, unless what it answers is called before. */
  private within(ms: number, end: () => void): () => void {
    const once = () => {
      over();
      end();
    };
    const timer = setTimeout(once, Math.max(ms, 1));
    const over = () => {
      clearTimeout(timer);
      this.waits.delete(once);
    };
    this.waits.add(once);
    return over;
  }
}

/** What a connection may take for an answer, however little time whoever asks has left. */
const leastMs = 1_000;

/** A connection that breaks says so by the answer that is waited for; unheard, its event would end the process. */
function unheard(): void {}

/** Whether a connection is of no more use after an error. */
export function isBroken(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || /^(08|57P0)/.test(code);
}
