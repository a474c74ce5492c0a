import { StoreUnavailableError } from '../errors.js';
import type { PgPool, PgPoolClient } from './drivers.js';
import { deadlineMs } from './postgres-functions.js';
import { refusalOf } from './postgres-refusal.js';
import type { Row, SqlConnection, SqlSequel, SqlStatement } from './sql-connection.js';
import { UsedClient } from './used-client.js';
import { WarmClient } from './warm-client.js';

interface PgStatement {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: string[];
}

/**
 * Runs statements on the connections of a pool. One that does not answer in time is cut off: it may be half open. The
 * time of a caller counts from the call, that of a connection from when it was asked: where many call at once, a late
 * turn says nothing against the connection, and to cut it off would only make the others later still. Nor does a caller
 * who had little time left.
 */
export class PgConnection implements SqlConnection {
  /** Ends what is waited for, at the close. */
  private readonly waits = new Set<() => void>();
  private readonly warm = new WarmClient();

  constructor(
    private readonly name: string,
    private readonly pool: PgPool,
    /** Whether a connection stays with one session of the server, so that it may prepare what it is asked for. */
    private readonly prepares: boolean,
  ) {}

  async query(
    statement: SqlStatement,
    values: readonly string[],
    withinMs: number,
    sequel?: SqlSequel,
  ): Promise<readonly Row[]> {
    const until = performance.now() + withinMs;
    const used = (sequel && this.warm.take()) ?? (await this.take(withinMs, sequel));
    const answer = this.ask(used, this.written(statement, values), withinMs, sequel);
    return new Promise((resolve, reject) => {
      const over = this.within(until - performance.now(), () => reject(this.unanswered(withinMs)));
      answer.then(resolve, reject).finally(over);
    });
  }

  private async take(withinMs: number, sequel: SqlSequel | undefined): Promise<UsedClient> {
    try {
      return new UsedClient(await this.connect(withinMs));
    } catch (error) {
      sequel?.failed(error as Error);
      throw error;
    }
  }

  /** Asks, and gives the connection back when it has answered, however late that is, or cuts it off. */
  private async ask(
    used: UsedClient,
    statement: PgStatement,
    withinMs: number,
    sequel: SqlSequel | undefined,
  ): Promise<readonly Row[]> {
    const { client } = used;
    let isCutOff = false;
    const cutOff = () => {
      isCutOff = true;
      used.cutOff();
    };
    let over = this.within(Math.max(withinMs, leastMs), cutOff);
    const asked = client.query(statement);
    const followed = sequel && this.follow(asked, client, sequel);
    const end = (isBroken?: boolean) => {
      over();
      used.leave(isBroken);
    };
    const endOrFollow = (isBrokenByFirst = false) => {
      if (!followed || used.isOver) return end(isBrokenByFirst);
      // Its time begins when its turn does.
      over();
      over = this.within(deadlineMs, cutOff);
      const hasFollowed = isBrokenByFirst ? undefined : this.warm.follows(used);
      void followed.then((isBrokenBySecond) => {
        hasFollowed?.();
        end(isBrokenByFirst || isBrokenBySecond);
      });
    };
    try {
      const { rows } = await asked;
      endOrFollow();
      return rows;
    } catch (error) {
      const wasCutOff = isCutOff;
      // After an error of the server the connection is as good as before; without one it is broken.
      endOrFollow(isBroken(error));
      if (wasCutOff) throw this.unanswered(withinMs);
      throw refusalOf(this.name, error, true);
    }
  }

  /**
   * In a pipeline both are written at once: the server goes on to the second while the answer to the first is on the way. A driver
   * that has none is told when it is free. Never rejects; answers whether the connection is broken.
   */
  private follow(asked: Promise<unknown>, client: PgPoolClient, sequel: SqlSequel): Promise<boolean> {
    const send = () => {
      const { statement, values } = sequel.written();
      return client.query(this.written(statement, values)).then(
        ({ rows }) => {
          sequel.answered(rows);
          return false;
        },
        (error: unknown) => {
          sequel.failed(refusalOf(this.name, error, true));
          return isBroken(error);
        },
      );
    };
    if (client.pipeline) return send();
    return asked.then(send, (error: unknown) => {
      if (!isBroken(error)) return send();
      sequel.failed(refusalOf(this.name, error, false));
      return true;
    });
  }

  private written({ name, text }: SqlStatement, values: readonly string[]): PgStatement {
    return { name: this.prepares ? name : undefined, text, values: values as string[] };
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

/**
 * A session that would refuse the next statement as well: its server takes no writes any more, since another is the primary now, or
 * its prepared statements are somebody else's, or were planned for what has been made anew.
 */
const spoiltSession = /^(25006|26000|42P05|0A000)$/;

/** Whether a connection is of no more use after an error. */
export function isBroken(error: unknown): boolean {
  const { code } = error as { code?: string };
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return true;
  return /^(08|57P0)/.test(code) || spoiltSession.test(code);
}
