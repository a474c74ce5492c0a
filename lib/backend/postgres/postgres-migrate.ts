import { UnusableStoreError } from '../errors.js';
import { quoted, type Row } from './sql-connection.js';
import { functionSources, migrationSources } from './sql-sources.js';

/** What this code needs of its schema. */
export const schemaVersion = migrationSources.length;

/** A connection that is asked several things in a row. */
export interface SqlSession {
  query(sql: string, values: string[]): Promise<readonly Row[]>;
  /** Several statements at once, without values. */
  exec(sql: string): Promise<unknown>;
}

/**
 * Brings a schema to our version, inside a transaction that the caller has begun. One process at a time does it, whatever
 * the number that start; one that has been brought further by newer code is left as it is.
 */
export async function migrate(session: SqlSession, schema: string): Promise<void> {
  await session.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`nestjs-jobs:${schema}`]);
  const version = await versionOf(session, schema);
  if (version < schemaVersion) await session.exec(upSql(schema, version));
}

/** Where the application's people make the schema themselves, it must be there. */
export async function checkSchema(session: SqlSession, schema: string, name: string): Promise<void> {
  const version = await versionOf(session, schema);
  if (version >= schemaVersion) return;
  const found = version === 0 ? 'is not there' : `has version ${version}`;
  throw new UnusableStoreError(
    `${name} cannot be used: the schema ${quoted(schema)} ${found}, and ${schemaVersion} is needed; ` +
      `run what \`npx nestjs-jobs sql --schema ${shellWord(schema)}${version > 0 ? ` --from ${version}` : ''}\` prints, or leave out \`migrate: false\``,
  );
}

/** The statements that bring a schema from a version to ours. */
export function upSql(schema: string, from = 0): string {
  return [
    `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};`,
    ...inSchema(schema),
    // A function may name another that is made after it.
    'SET LOCAL check_function_bodies = off;',
    'CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());',
    ...migrationSources.flatMap(({ name, up }, index) =>
      index < from
        ? []
        : [up, `INSERT INTO migrations (version, name) VALUES (${index + 1}, ${literal(name)});`],
    ),
    ...functionSources,
  ].join('\n');
}

/** The statements that take all of it away again, tasks included; the schema itself stays, since others may use it. */
export function downSql(schema: string): string {
  const functions = functionSources.flatMap((source) =>
    Array.from(source.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)/gm), ([, name]) => name!),
  );
  return [
    ...inSchema(schema),
    ...functions.map((name) => `DROP FUNCTION IF EXISTS ${name};`),
    ...migrationSources.map(({ down }) => down).toReversed(),
    'DROP TABLE migrations;',
  ].join('\n');
}

function inSchema(schema: string): string[] {
  return [`SET LOCAL search_path = ${quoted(schema)}, pg_catalog, pg_temp;`];
}

/** 0 where there is no such schema. */
async function versionOf(session: SqlSession, schema: string): Promise<number> {
  const table = `${quoted(schema)}.migrations`;
  const [found] = await session.query('SELECT to_regclass($1) IS NOT NULL AS is_there', [table]);
  if (!found?.is_there) return 0;
  const [row] = await session.query(`SELECT coalesce(max(version), 0) AS version FROM ${table}`, []);
  return Number(row?.version);
}

function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
