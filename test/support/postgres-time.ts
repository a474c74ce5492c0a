import { quoted } from '../../lib/backend/postgres/sql-connection.js';

/**
 * Makes a queue older by some time: every moment in it moves back, which to the queue is the same as the database's clock
 * moving on.
 */
export async function agePostgresQueue(
  exec: (sql: string) => Promise<unknown>,
  schema: string,
  queue: string,
  ms: number,
): Promise<void> {
  const name = `'${queue.replaceAll("'", "''")}'`;
  const by = Math.round(ms);
  const back = (columns: string[]) => columns.map((column) => `${column} = ${column} - ${by}`).join(', ');
  // The largest number stands for no such moment.
  const backIfAny = (column: string) =>
    `${column} = CASE WHEN ${column} < 9223372036854775807 THEN ${column} - ${by} ELSE ${column} END`;
  const moments = ['enqueued_at', 'due_at', 'lease_ends_at', 'expires_at', 'finished_at', 'slot'];
  const slots = ['first_slot', 'next_slot', 'last_slot', 'declared_at'];
  const errors = `errors = (SELECT jsonb_agg(jsonb_set(e, '{at}', to_jsonb((e ->> 'at')::bigint - ${by})) ORDER BY n)
    FROM jsonb_array_elements(errors) WITH ORDINALITY AS u (e, n))`;
  await exec(`BEGIN;
    UPDATE ${quoted(schema)}.tasks SET ${back(moments)}, ${backIfAny('remove_at')}, ${errors} WHERE queue = ${name};
    UPDATE ${quoted(schema)}.schedules SET ${back(slots)}, ${backIfAny('look_at')} WHERE queue = ${name};
    UPDATE ${quoted(schema)}.queues SET ${backIfAny('paused_until')} WHERE queue = ${name};
    COMMIT;`);
}
