import type { Client, ClientConfig, Pool, PoolConfig } from 'pg';
import { UnusableStoreError } from '../errors.js';
import type { PgConfig, PgPool, PgSocket } from './drivers.js';
import { hotSessionSql } from './hot-session.js';
import { OwnSockets } from './own-sockets.js';
import { PgConnection } from './pg-connection.js';
import { inTransaction, unheard } from './pg-transaction.js';
import { PgWire } from './pg-wire.js';
import type { PostgresEngine } from './postgres-engine.js';
import { deadlineMs } from './postgres-functions.js';
import { refusalOf } from './postgres-refusal.js';
import { Turns } from './turns.js';

/** Two claims, what leaves behind others and waits for the disk, and what else a runner asks. */
const hotConnections = 6;
const sideConnections = 4;
/** For handlers that work in `task.transaction`. */
const transactionConnections = 10;

export interface PgEngineOptions {
  readonly name: string;
  readonly schema: string;
  readonly config: PgConfig;
  readonly pool: PgPool | undefined;
  readonly notify: boolean;
}

/** A PostgreSQL server, by the package `pg`. */
export async function pgEngine({
  name,
  schema,
  config,
  pool,
  notify,
}: PgEngineOptions): Promise<PostgresEngine> {
  const pg = await loadPg();
  const connectMs = config.connectionTimeoutMillis ?? deadlineMs;
  const sockets = new OwnSockets();
  const own: ClientConfig = {
    keepAlive: true,
    stream: sockets.make,
    ...config,
    // Not 0, which is for ever.
    connectionTimeoutMillis: connectMs > 0 ? connectMs : deadlineMs,
    application_name: config.application_name ?? schema,
  };
  const pools: PgPool[] = [];
  const poolOf = (max: number, idleTimeoutMillis = 0, options: PoolConfig = {}, begin?: string): PgPool => {
    const made = new pg.Pool({ ...own, ...options, max, idleTimeoutMillis });
    // Connections that break while nobody uses them are made anew when they are needed.
    made.on('error', unheard);
    // From the first moment: a server may end a connection in the very packet that says that it is ready.
    made.on('connect', (client) => {
      client.on('error', unheard);
      // Before whatever it is asked for. A session without its settings is of no use: whoever has it is to see that it is broken.
      if (begin)
        client.query(begin).catch(() => (client as unknown as PgSocket).connection?.stream.destroy());
    });
    pools.push(made);
    return made;
  };
  // Who listens has sessions; behind a pooler of transactions, which has none, a prepared statement would be somebody else's.
  const pipelined = { pipeline: true };
  const hotPool = notify
    ? poolOf(hotConnections, 0, pipelined, hotSessionSql(schema))
    : poolOf(hotConnections);
  const hot = new PgConnection(name, hotPool, notify);
  const side = new PgConnection(name, pool ?? poolOf(sideConnections, 0, pipelined), notify && !pool);
  let transactions = pool;
  // A pool refuses whoever waits longer than a connection may take to be made; a handler waits for the others.
  const turns = new Turns(pool ? Infinity : transactionConnections);
  const wire = notify ? new PgWire(() => new pg.Client({ ...own, ...pipelined }), schema) : undefined;
  return {
    hot,
    side,
    hasHotSessions: notify,
    isSidePipelined: notify && !pool,
    wire,
    events: wire,
    transact: (work, lost) =>
      turns.take(async () => {
        transactions ??= poolOf(transactionConnections, 10_000);
        const client = await transactions.connect().catch((error: unknown) => {
          throw refusalOf(name, error, false);
        });
        return inTransaction(client, work, lost);
      }, lost),
    isSingle: false,
    isExclusive: false,
    mustJoin: () => false,
    async close() {
      hot.close();
      side.close();
      // Not waited for themselves: a transaction of a handler that was given up would keep one open.
      for (const one of pools) void one.end().catch(() => undefined);
      await sockets.close();
    },
  };
}

interface Pg {
  readonly Client: typeof Client;
  readonly Pool: typeof Pool;
}

/** An optional peer: an application that has no such backend need not install it. */
async function loadPg(): Promise<Pg> {
  try {
    const loaded: { default?: Pg } & Partial<Pg> = await import('pg');
    // A CommonJS package: its older releases show an ESM importer but a default.
    return loaded.default ?? (loaded as Pg);
  } catch (error) {
    throw new UnusableStoreError("the postgres backend needs the package 'pg': run `npm install pg`", {
      cause: error,
    });
  }
}
