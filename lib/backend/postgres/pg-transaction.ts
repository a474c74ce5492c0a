import type { PgPoolClient } from './drivers.js';
import { deadlineMs } from './postgres-functions.js';
import type { SqlSession } from './postgres-migrate.js';

/** Runs `work` between BEGIN and COMMIT, and gives the connection back; or gives it up when `lost` aborts. */
export async function inTransaction<R>(
  client: PgPoolClient,
  work: (session: SqlSession, transaction: unknown) => Promise<R>,
  lost?: AbortSignal,
): Promise<R> {
  client.on('error', unheard);
  const session: SqlSession = {
    query: async (sql, values) => (await client.query(sql, values)).rows,
    exec: (sql) => client.query(sql),
  };
  const hold = new Hold(client, lost);
  try {
    try {
      await client.query('BEGIN');
      const result = await work(session, client);
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
    client.off('error', unheard);
    hold.release();
  }
}

/**
 * A connection while a transaction has it. One that has fallen silent would keep the handler waiting, and with it its
 * turn and the locks of its rows, for as long as the network does not notice: when the run is over or its lease lost, it is ended.
 */
class Hold {
  isBroken = true;
  isCommitting = false;
  isGivenUp = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: PgPoolClient,
    private readonly lost: AbortSignal | undefined,
  ) {
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
  }
}

/** A connection that breaks says so by its next answer, too; unheard, it would end the process. */
export function unheard(): void {}
