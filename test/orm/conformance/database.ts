import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Backend } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';

/** A database with a schema whose `add_v1` stores a text and answers it. */
export interface Database {
  readonly schema: string;
  /** Whether a text is stored, as another connection sees it where there can be one. */
  isStored(text: string): Promise<boolean>;
  /** Where an application can keep its tasks. */
  readonly backend: string | Backend;
  drop(schema: string): Promise<unknown>;
  close(): Promise<void>;
}

export interface ServerDatabase extends Database {
  readonly url: string;
}

export interface EmbeddedDatabase extends Database {
  readonly pglite: PGlite;
}

export interface DatabaseKind<D extends Database> {
  readonly isEmbedded: boolean;
  open(): Promise<D>;
}

/** The test run's server. */
export const server: DatabaseKind<ServerDatabase> = { isEmbedded: false, open: openServer };

/** PostgreSQL in this process, which has one connection only. */
export const embedded: DatabaseKind<EmbeddedDatabase> = { isEmbedded: true, open: openEmbedded };

async function openServer(): Promise<ServerDatabase> {
  const url = process.env.TEST_POSTGRES_URL!;
  const client = new pg.Client(url);
  await client.connect();
  const schema = await createSchema((sql) => client.query(sql));
  return {
    url,
    schema,
    isStored: async (text) => {
      const { rows } = await client.query(isStoredSql(schema), [text]);
      return rows[0].answer;
    },
    backend: url,
    drop: (name) => client.query(`DROP SCHEMA "${name}" CASCADE`),
    async close() {
      await client.query(`DROP SCHEMA "${schema}" CASCADE`);
      await client.end();
    },
  };
}

async function openEmbedded(): Promise<EmbeddedDatabase> {
  const pglite = await PGlite.create();
  const schema = await createSchema((sql) => pglite.exec(sql));
  return {
    pglite,
    schema,
    isStored: async (text) => {
      const { rows } = await pglite.query<{ answer: boolean }>(isStoredSql(schema), [text]);
      return rows[0]!.answer;
    },
    backend: postgresBackend({ pglite }),
    drop: (name) => pglite.exec(`DROP SCHEMA "${name}" CASCADE`),
    close: () => pglite.close(),
  };
}

async function createSchema(run: (sql: string) => Promise<unknown>): Promise<string> {
  const schema = `orm-${randomUUID()}`;
  await run(`
    CREATE SCHEMA "${schema}";
    CREATE TABLE "${schema}".added (added text);
    CREATE FUNCTION "${schema}".add_v1(given text) RETURNS text LANGUAGE sql
      AS $$ INSERT INTO "${schema}".added VALUES (given) RETURNING added $$;
  `);
  return schema;
}

function isStoredSql(schema: string): string {
  return `SELECT EXISTS (SELECT FROM "${schema}".added WHERE added = $1) AS answer`;
}
