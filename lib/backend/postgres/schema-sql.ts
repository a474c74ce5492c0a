import { headsOf, ourSources, revisionOf } from './schema-sources.js';
import { quoted } from './sql-connection.js';

/**
 * The statements that bring a schema from a version to ours, for a transaction. They may be run again: what is there is left, but
 * for functions, which are made anew.
 */
export function upSql(schema: string, from = 0, sources = ourSources): string {
  return [
    `SELECT pg_advisory_xact_lock(hashtext(${literal(lockName(schema))}));`,
    `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};`,
    ...inSchema(schema),
    // A function may name another that is made after it.
    'SET LOCAL check_function_bodies = off;',
    'CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());',
    'CREATE TABLE IF NOT EXISTS functions (version text NOT NULL, revision text NOT NULL, heads json NOT NULL);',
    ...sources.migrations.slice(from).map(({ name, up }, index) => once(from + index + 1, name, up)),
    dropChanged(JSON.stringify(headsOf(sources))),
    ...sources.functions,
    'DELETE FROM functions;',
    `INSERT INTO functions VALUES (${[sources.version, revisionOf(sources), JSON.stringify(headsOf(sources))].map(literal).join(', ')});`,
  ].join('\n');
}

/** The statements that take all of it away again, tasks included; the schema itself stays, since others may use it. */
export function downSql(schema: string, sources = ourSources): string {
  return [
    ...inSchema(schema),
    ...Object.keys(headsOf(sources)).map((name) => `DROP FUNCTION IF EXISTS ${name};`),
    ...sources.migrations.map(({ down }) => down).toReversed(),
    'DROP TABLE functions;',
    'DROP TABLE migrations;',
  ].join('\n');
}

/** By which one process at a time is let at a schema. */
export function lockName(schema: string): string {
  return `nestjs-jobs:${schema}`;
}

function inSchema(schema: string): string[] {
  return [`SET LOCAL search_path = ${quoted(schema)}, pg_catalog, pg_temp;`];
}

function once(version: number, name: string, up: string): string {
  return [
    'DO $once$ BEGIN',
    `IF EXISTS (SELECT FROM migrations WHERE version = ${version}) THEN RETURN; END IF;`,
    `EXECUTE $up$\n${up}\n$up$;`,
    `INSERT INTO migrations (version, name) VALUES (${version}, ${literal(name)});`,
    'END $once$;',
  ].join('\n');
}

/**
 * Of the functions that are there, those that have other arguments or another result now, or are no more. What older code calls, by a
 * name with a version, stays: it runs beside us. Where nothing tells which are there, though an
 * earlier transaction has made our tables, all that have a name of ours.
 */
function dropChanged(heads: string): string {
  return [
    'DO $drop$ DECLARE changed text; BEGIN',
    'FOR changed IN SELECT quote_ident(h.key) FROM functions f, json_each_text(f.heads) h',
    `  WHERE h.value IS DISTINCT FROM ${literal(heads)}::json ->> h.key`,
    `  AND (h.key !~ '_v[0-9]+$' OR ${literal(heads)}::json ->> h.key IS NOT NULL)`,
    '  UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc p',
    '  WHERE p.pronamespace = quote_ident(current_schema())::regnamespace AND NOT EXISTS (SELECT FROM functions)',
    '  AND EXISTS (SELECT FROM migrations m WHERE m.applied_at < now())',
    `  AND ${literal(heads)}::json ->> p.proname IS NOT NULL LOOP`,
    `  EXECUTE 'DROP FUNCTION IF EXISTS ' || changed;`,
    'END LOOP; END $drop$;',
  ].join('\n');
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
