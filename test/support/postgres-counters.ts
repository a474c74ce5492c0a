import { expect } from '@jest/globals';
import { quoted } from '../../lib/backend/postgres/sql-connection.js';
import type { BesideBackend } from './postgres-store.js';

/** What is counted of queues is what is there, as one look at the database has it. */
export async function expectCountersOfTasks(
  { rows }: Pick<BesideBackend, 'rows'>,
  schema: string,
  queues: Iterable<string>,
): Promise<void> {
  const names = Array.from(queues, (queue) => `'${queue.replaceAll("'", "''")}'`);
  if (names.length === 0) return;
  const tables = quoted(schema);
  const wrong = await rows(`
    SELECT queue, state, sum(kept)::integer AS kept, sum(there)::integer AS there FROM (
      SELECT queue, state, tasks AS kept, 0 AS there FROM ${tables}.counters
      UNION ALL SELECT queue, came_from, -tasks, 0 FROM ${tables}.moves WHERE came_from IS NOT NULL
      UNION ALL SELECT queue, went_to, tasks, 0 FROM ${tables}.moves WHERE went_to IS NOT NULL
      UNION ALL SELECT queue, state, 0, 1 FROM ${tables}.tasks
    ) u WHERE queue IN (${names.join(', ')}) GROUP BY queue, state HAVING sum(kept) <> sum(there)`);
  expect(wrong).toEqual([]);
}
