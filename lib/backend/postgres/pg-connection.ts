import { StoreUnavailableError } from '../errors.js';
import type { PgPool, PgPoolClient } from './drivers.js';
import { refusalOf } from './postgres-refusal.js';
import type { Row, SqlConnection } from './sql-connection.js';

/** Runs statements on the connections of a pool. One that does not answer in time is cut off: it may be half open. */
export class PgConnection implements SqlConnection {
  constructor(
    private readonly name: string,
    private readonly pool: PgPool,
    private readonly isOurs: boolean,
  ) {}

  async query(sql: string, values: readonly string[], withinMs: number): Promise<readonly Row[]> {
    const until = performance.now() + withinMs;
    const client = await this.connect(withinMs);
    let isCutOff = false;
    const timer = setTimeout(
      () => {
        isCutOff = true;
        client.release(true);
      },
      Math.max(until - performance.now(), 1),
    );
    try {
      const { rows } = await client.query(sql, values as string[]);
      if (!isCutOff) client.release();
      return rows;
    } catch (error) {
      if (isCutOff)
        throw new StoreUnavailableError(`${this.name} did not answer within ${withinMs} ms`, true);
      // After an error of the server the connection is as good as before; without one it is broken.
      client.release(isBroken(error));
      throw refusalOf(this.name, error, true);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    if (this.isOurs) await this.pool.end();
  }

  /** A pool whose connections are all taken, or cannot be made, keeps nobody waiting past the time. */
  private connect(withinMs: number): Promise<PgPoolClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        const why = 'a connection could not be had: none is free, or the server does not answer';
        reject(new StoreUnavailableError(`${this.name}: ${why} within ${withinMs} ms`, false));
      }, withinMs);
      this.pool.connect().then(
        (client) => {
          clearTimeout(timer);
          if (isLate) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(refusalOf(this.name, error, false));
        },
      );
    });
  }
}

function isBroken(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || /^(08|57P0)/.test(code);
}
