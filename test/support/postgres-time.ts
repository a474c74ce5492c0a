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
  const tables = quoted(schema);
  // Beyond the other moments first, and then to their places: each is part of a key, and none may meet another on the way.
  const backAsKey = (table: string, keys: string[]) => `
    UPDATE ${tables}.${table} SET ${keys.map((key) => `${key} = -(${key} - ${by})`).join(', ')} WHERE queue = ${name};
    UPDATE ${tables}.${table} SET ${keys.map((key) => `${key} = -${key}`).join(', ')} WHERE queue = ${name};`;
  await exec(`BEGIN;
    UPDATE ${tables}.tasks SET ${back(moments)}, ${backIfAny('remove_at')}, ${errors} WHERE queue = ${name};
    UPDATE ${tables}.leases SET ${back(['ends_at'])} WHERE queue = ${name};
    UPDATE ${tables}.schedules SET ${back(slots)}, ${backIfAny('look_at')} WHERE queue = ${name};
    UPDATE ${tables}.queues SET ${backIfAny('paused_until')} WHERE queue = ${name};
    UPDATE ${tables}.job_figures SET ${back(['last_run_at', 'last_failure_at'])} WHERE queue = ${name};
    UPDATE ${tables}.lost_runs SET ${back(['at', 'slot'])} WHERE queue = ${name};
    ${backAsKey('throughput', ['at'])}
    ${backAsKey('slot_outcomes', ['slot', 'at'])}
    COMMIT;`);
}

/** Statements that end the leases of tasks, of which something may be said, as if their processes had not been heard of for long. */
export function endLeasesSql(schema: string, of = 'true'): string {
  const tables = quoted(schema);
  return `
    UPDATE ${tables}.tasks SET lease_ends_at = 0 WHERE state = 'pending' AND (${of});
    UPDATE ${tables}.leases SET ends_at = 0 WHERE tasks && ARRAY(SELECT id FROM ${tables}.tasks WHERE lease_ends_at = 0);`;
}

/** Makes runners older. */
export async function agePostgresRunners(
  exec: (sql: string) => Promise<unknown>,
  schema: string,
  runners: readonly string[],
  ms: number,
): Promise<void> {
  const by = Math.round(ms);
  const names = runners.map((runner) => `'${runner.replaceAll("'", "''")}'`).join(', ');
  await exec(`UPDATE ${quoted(schema)}.runners SET started_at = started_at - ${by}, seen_at = seen_at - ${by},
    alive_until = CASE WHEN alive_until < 9223372036854775807 THEN alive_until - ${by} ELSE alive_until END
    WHERE name IN (${names})`);
}
