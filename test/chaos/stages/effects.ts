import type { PostgresStage } from './postgres-stage.js';
import type { Stage } from './stage.js';

/** Where handlers write rows in the transaction of their completion. */
export async function openEffects(stage: Stage, prefix: string): Promise<void> {
  if (stage.backend !== 'postgres') return;
  const { query } = stage as PostgresStage;
  await query(`CREATE SCHEMA IF NOT EXISTS "${prefix}"`);
  await query(`CREATE TABLE "${prefix}".effects (queue text, id text, process text)`);
}

/** Where the store is in its only process, that one makes the table itself. */
async function askPglite(stage: Stage, sql: string): Promise<Record<string, unknown>[]> {
  const { PGlite } = await import('@electric-sql/pglite');
  const { postgres } = stage.address as { postgres: { pglite: string } };
  const store = await PGlite.create(postgres.pglite);
  try {
    return (await store.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await store.close();
  }
}

/** How many rows each task has left; undefined where there is no such table. */
export async function rowsIn(stage: Stage, prefix: string): Promise<Map<string, number> | undefined> {
  const counted = `SELECT queue, id, count(*)::int AS rows FROM "${prefix}".effects GROUP BY queue, id`;
  if (stage.backend !== 'postgres' && stage.backend !== 'pglite') return undefined;
  const rows =
    stage.backend === 'pglite'
      ? await askPglite(stage, counted)
      : await (stage as PostgresStage).query(counted);
  return new Map(rows.map(({ queue, id, rows }) => [`${String(queue)}/${String(id)}`, Number(rows)]));
}
