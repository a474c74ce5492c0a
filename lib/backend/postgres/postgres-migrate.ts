import { UnusableStoreError } from '../errors.js';
import { isOlder, ourSources, revisionOf, type SchemaSources } from './schema-sources.js';
import { lockName, upSql } from './schema-sql.js';
import { quoted, type Row } from './sql-connection.js';

/** How long a migration waits for a table: whoever asks for the table meanwhile waits behind it. */
const patience = '2s';

/** A connection that is asked several things in a row. */
export interface SqlSession {
  query(sql: string, values: string[]): Promise<readonly Row[]>;
  /** Several statements at once, without values. */
  exec(sql: string): Promise<unknown>;
  /** Whether all that it is asked sees the database as it was at the first question. */
  readonly keepsSnapshot?: boolean;
}

/**
 * Brings a schema to our version, inside a transaction that the caller has begun. One process at a time does it, whatever
 * the number that start; one that has been brought further by newer code is left as it is, and so are functions of newer code.
 * Rejects where a transaction that stays open keeps it from a table: it may be tried again.
 */
export async function migrate(session: SqlSession, schema: string, sources = ourSources): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock(hashtext($1))', [lockName(schema)]);
  await session.exec(`SET LOCAL lock_timeout = '${patience}'`);
  const found = await foundIn(session, schema);
  if (isBehind(found, sources)) await session.exec(upSql(schema, found.version, sources));
}

/** Where the application's people make the schema themselves, it must be there. */
export async function checkSchema(session: SqlSession, schema: string, name: string): Promise<void> {
  const found = await foundIn(session, schema);
  if (!isBehind(found, ourSources)) return;
  const { version, functions } = found;
  const needed = ourSources.migrations.length;
  const is =
    version === 0
      ? `is not there, and version ${needed} is needed`
      : version < needed
        ? `has version ${version}, and ${needed} is needed`
        : `has functions of ${functions ? `nestjs-jobs ${functions.version}` : 'an earlier time'}, and those of ${ourSources.version} are needed`;
  throw new UnusableStoreError(
    `${name} cannot be used: the schema ${quoted(schema)} ${is}; ` +
      `run what \`npx nestjs-jobs sql --schema ${shellWord(schema)}${version > 0 ? ` --from ${version}` : ''}\` prints, or leave out \`migrate: false\``,
  );
}

interface Found {
  /** 0 where there is no such schema. */
  readonly version: number;
  readonly functions: { readonly version: string; readonly revision: string } | undefined;
}

function isBehind({ version, functions }: Found, sources: SchemaSources): boolean {
  if (version !== sources.migrations.length) return version < sources.migrations.length;
  if (!functions) return true;
  return functions.revision !== revisionOf(sources) && !isOlder(sources.version, functions.version);
}

async function foundIn(session: SqlSession, schema: string): Promise<Found> {
  const tables = ['migrations', 'functions'].map((table) => `${quoted(schema)}.${table}`);
  const [is] = await session.query(
    'SELECT to_regclass($1) IS NOT NULL AS migrated, to_regclass($2) IS NOT NULL AS made',
    tables,
  );
  if (!is?.migrated) return { version: 0, functions: undefined };
  const [row] = await session.query(`SELECT coalesce(max(version), 0) AS version FROM ${tables[0]}`, []);
  const functions = is.made ? await session.query(`SELECT version, revision FROM ${tables[1]}`, []) : [];
  return { version: Number(row?.version), functions: functions[0] as unknown as Found['functions'] };
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
