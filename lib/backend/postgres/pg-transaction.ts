import type { PgPoolClient } from './drivers.js';
import { deadlineMs } from './postgres-functions.js';
import type { SqlSession } from './postgres-migrate.js';

/**
 * Runs `work` between BEGIN and COMMIT, and gives the connection back. When `lost` aborts it is given up, and `work` with it, which
 * may wait for something else and never end.
 */
export async function inTransaction<R>(
  client: PgPoolClient,
  work: (session: SqlSession, transaction: unknown) => Promise<R>,
  lost?: AbortSignal,
): Promise<R> {
  client.on('error', unheard);
  const hold = new Hold(client, lost);
  try {
    try {
      const session = await begun(client);
      const result = await Promise.race([work(session, client), hold.givenUp]);
      hold.isCommitting = true;
      await client.query('COMMIT');
      hold.isBroken = false;
      return result;
    } catch (error) {
      if (hold.isGivenUp) throw lost!.reason;
      // Where that fails the connection is gone, and the transaction with it: what went wrong first says more.
      await client.query('ROLLBACK').then(
        () => (hold.isBroken = false),
        () => undefined,
      );
      throw error;
    }
  } finally {
    // One that was given up is still on its way down.
    if (!hold.isGivenUp) client.off('error', unheard);
    hold.release();
  }
}

/** In one step, and by what takes no snapshot: the handler may still set another isolation. */
async function begun(client: PgPoolClient): Promise<SqlSession> {
  const answers: unknown = await client.query('BEGIN; SHOW transaction_isolation');
  const [, shown] = answers as { readonly rows: readonly { readonly transaction_isolation: string }[] }[];
  return {
    query: async (sql, values) => (await client.query(sql, values)).rows,
    exec: (sql) => client.query(sql),
    keepsSnapshot: /^(repeatable read|serializable)$/.test(shown!.rows[0]!.transaction_isolation),
  };
}

/**
 * A connection while a transaction has it. One that has fallen silent would keep the handler waiting, and with it its
 * turn and the locks of its rows, for as long as the network does not notice: when the run is over or its lease lost, it is ended.
 */
class Hold {
  isBroken = true;
  isCommitting = false;
  isGivenUp = false;
  /** Rejects when it is. */
  readonly givenUp: Promise<never>;
  private rejectWork!: (reason: unknown) => void;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: PgPoolClient,
    private readonly lost: AbortSignal | undefined,
  ) {
    this.givenUp = new Promise((_, reject) => (this.rejectWork = reject));
    this.givenUp.catch(() => undefined);
    if (lost?.aborted) this.onLost();
    else lost?.addEventListener('abort', this.onLost);
  }

  release(): void {
    clearTimeout(this.timer);
    this.lost?.removeEventListener('abort', this.onLost);
    if (!this.isGivenUp) this.client.release(this.isBroken);
  }

  private readonly onLost = (): void => {
    // The row is locked by then: nobody else can have the task before the commit has come or has failed.
    if (this.isCommitting) this.timer = setTimeout(() => this.giveUp(), deadlineMs);
    else this.giveUp();
  };

  private giveUp(): void {
    this.isGivenUp = true;
    // What waits for an answer on it rejects.
    this.client.release(true);
    // A driver that pipelines would wait for the answers to what it has sent.
    this.client.connection?.stream.destroy();
    this.rejectWork(this.lost!.reason);
  }
}

/** A connection that breaks says so by its next answer, too; unheard, it would end the process. */
export function unheard(): void {}
