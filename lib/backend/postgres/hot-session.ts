import { quoted } from './sql-connection.js';

/**
 * What every function of the schema sets for itself, as settings of a session that only runners use: there the functions that are
 * called most need not, which would cost them as much as ten tasks do. No plan may flip, whatever the statistics say.
 */
export function hotSessionSql(schema: string): string {
  const off = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort'].map(
    (way) => `SET enable_${way} = off`,
  );
  return [
    `SET search_path = ${quoted(schema)}, pg_catalog, pg_temp`,
    'SET plan_cache_mode = force_generic_plan',
    'SET jit = off',
    ...off,
  ].join('; ');
}
