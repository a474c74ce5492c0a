import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Backend, ClaimRequest } from '../../lib/backend/backend.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { leaseMs } from './conformance/setup.js';

const { schema, pool, open, rows } = onOwnSchema();
let backend: Backend;
beforeAll(async () => {
  backend = await open();
  // What each change of a task is committed by.
  await pool.query(`
    CREATE TABLE "${schema}".seen (what text, waits text, pid integer, xid text);
    CREATE FUNCTION "${schema}".see() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO "${schema}".seen
        VALUES (TG_OP, current_setting('synchronous_commit'), pg_backend_pid(), pg_current_xact_id()::text);
      RETURN NULL;
    END $$;
    CREATE TRIGGER see AFTER UPDATE OR DELETE ON "${schema}".tasks FOR EACH ROW EXECUTE FUNCTION "${schema}".see();
  `);
});

describe('A success that is sent right behind a claim', () => {
  it('waits for the disk in a transaction of its own, though the claim before it does not', async () => {
    const queue = randomUUID();
    const task = { queue, job: 'Job', params: '1', priority: 0, retries: 0, due: { inMs: 0 } };
    await backend.tasks.add([['a', 'b'].map((id) => ({ ...task, id, token: id }))]);
    const asking: ClaimRequest = { queues: [{ queue, limit: 1 }], limit: 1, leaseMs, runner: 'r' };
    const { tasks } = await backend.tasks.claim(asking);
    await pool.query(`DELETE FROM "${schema}".seen`);
    const { id, epoch, receipt } = tasks[0]!;
    const outcome = { type: 'succeeded', keepMs: 0 } as const;
    const settling = backend.tasks.settle([{ queue, id, epoch, receipt, outcome }]);
    const [settled, claim] = await Promise.all([settling, backend.tasks.claim(asking)]);
    expect([settled, claim.tasks.length]).toEqual([['settled'], 1]);
    const seen = await rows<{ what: string; waits: string; pid: number; xid: string }>(
      `SELECT * FROM "${schema}".seen ORDER BY what DESC`,
    );
    expect(seen.map(({ what, waits }) => [what, waits])).toEqual([
      ['UPDATE', 'off'],
      ['DELETE', 'on'],
    ]);
    const [claiming, ending] = seen as [(typeof seen)[0], (typeof seen)[0]];
    expect(ending.pid).toBe(claiming.pid);
    expect(ending.xid).not.toBe(claiming.xid);
  });
});
