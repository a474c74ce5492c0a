import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/app.js';
import { onOwnSchema } from '../support/postgres-schema.js';

const { schema, pool, rows, open } = onOwnSchema();

/** Whether a statement waits for the table of tasks. */
async function someWait(): Promise<boolean> {
  const waiting = await rows(
    'SELECT FROM pg_locks WHERE NOT granted AND relation = to_regclass($1) AND database IS NOT NULL',
    [`"${schema}".tasks`],
  );
  return waiting.length > 0;
}

describe('A lock of the whole table, as an index that is made takes it', () => {
  it('keeps plain enqueues waiting; afterwards they share their statements as before', async () => {
    const backend = await open();
    const queue = randomUUID();
    let isOver = false;
    let stored = 0;
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`LOCK TABLE "${schema}".tasks IN SHARE MODE`);
      const awaiters = Array.from({ length: 100 }, async () => {
        while (!isOver) {
          const id = randomUUID();
          const task = { queue, id, token: id, job: 'Job', params: '1', priority: 0, retries: 0 };
          const [added] = await backend.tasks.add([[{ ...task, due: { inMs: 0 } }]]);
          expect(added).toEqual([{ status: 'enqueued' }]);
          stored++;
        }
      });
      // Until a statement has lost its patience.
      await eventually(someWait);
      await eventually(async () => !(await someWait()));
      await holder.query('COMMIT');
      await eventually(() => stored > 2_000);
      isOver = true;
      await Promise.all(awaiters);
    } finally {
      holder.release(true);
    }
    const [calls] = await rows<{ n: number }>(`SELECT count(*)::int AS n FROM "${schema}".calls`);
    expect(calls!.n).toBeLessThan(stored / 10);
  });
});
