import type { BellWire } from './postgres-bell.js';
import type { EventLine } from './postgres-events.js';
import type { SqlSession } from './postgres-migrate.js';
import type { SqlConnection } from './sql-connection.js';

/** What differs between a server and PostgreSQL in this process. */
export interface PostgresEngine {
  /** For runners. */
  readonly hot: SqlConnection;
  /** For callers. */
  readonly side: SqlConnection;
  /** Whether runners have sessions of their own, with settings for good, where what leaves right behind a claim need not wait for it. */
  readonly hasHotSessions: boolean;
  /** Whether what callers send right behind something else is with the server before that is answered. */
  readonly isSidePipelined: boolean;
  readonly wire: BellWire | undefined;
  /** Open as long as `wire` is. */
  readonly events: EventLine | undefined;
  /** Runs something in a transaction of its own, on one connection, which is given up when `lost` aborts, if it can be. */
  transact<R>(
    work: (session: SqlSession, transaction: unknown) => Promise<R>,
    lost?: AbortSignal,
  ): Promise<R>;
  /** Whether there is but one connection, for everything. */
  readonly isSingle: boolean;
  /** Whether nobody else has or had the schema open in this process, nor can in another: leases found in it are of one that is gone. */
  readonly isExclusive: boolean;
  /** Whether whoever asks runs inside a transaction without which the database cannot be reached until that ends. */
  mustJoin(): boolean;
  close(): Promise<void>;
}
