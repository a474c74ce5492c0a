import { drizzle as drizzleNodePostgres } from 'drizzle-orm/node-postgres';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js';
import pg from 'pg';
import pg820 from 'pg-8.20';
import postgres from 'postgres';
import { embedded, server } from './conformance/database.js';
import { describeJoining, type Library } from './conformance/joining.js';

describeJoining('Drizzle on pg', server, ({ url }) => {
  const pool = new pg.Pool({ connectionString: url });
  return library(drizzleNodePostgres({ client: pool }), () => pool.end());
});

describeJoining('Drizzle on a pg that does not know its state', server, ({ url }) => {
  const pool = new pg820.Pool({ connectionString: url });
  return library(drizzleNodePostgres({ client: pool }), () => pool.end());
});

describeJoining('Drizzle on postgres.js', server, ({ url }) => {
  const client = postgres(url);
  return library(drizzlePostgresJs({ client }), () => client.end());
});

describeJoining('Drizzle on PGlite', embedded, ({ pglite }) =>
  library(drizzlePglite({ client: pglite }), async () => {}),
);

function library(db: any, close: () => Promise<void>): Library {
  return {
    inTransaction: (work) => db.transaction(work),
    inSavepoint: (tx, work) => tx.transaction(work),
    notTransactions: { 'a database': [db, 'the database itself'] },
    close,
  };
}
