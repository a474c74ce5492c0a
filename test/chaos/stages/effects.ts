import type { PostgresStage } from './postgres-stage.js';
import type { Stage } from './stage.js';

/** Where handlers write rows in the transaction of their completion. */
export async function openEffects(stage: Stage, prefix: string): Promise<void> {
  if (stage.backend !== 'postgres') return;
  const { query } = stage as PostgresStage;
  await query(`CREATE SCHEMA IF NOT EXISTS "${prefix}"`);
  await query(`CREATE TABLE "${prefix}".effects (queue text, id text, process text)`);
}

/** How many rows each task has left; undefined where there is no such table. */
export async function rowsIn(stage: Stage, prefix: string): Promise<Map<string, number> | undefined> {
  if (stage.backend !== 'postgres') return undefined;
  const { query } = stage as PostgresStage;
  const rows = await query(
    `SELECT queue, id, count(*)::int AS rows FROM "${prefix}".effects GROUP BY queue, id`,
  );
  return new Map(rows.map(({ queue, id, rows }) => [`${String(queue)}/${String(id)}`, Number(rows)]));
}
