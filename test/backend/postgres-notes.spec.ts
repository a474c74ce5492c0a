import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Backend, ClaimedTask } from '../../lib/backend/backend.js';
import { eventually } from '../support/app.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { leaseMs } from './conformance/setup.js';

const { schema, pool, open } = onOwnSchema();
let backend: Backend;
beforeAll(async () => void (backend = await open()));

async function running(count: number): Promise<ClaimedTask[]> {
  const queue = randomUUID();
  const task = (id: string) => ({ queue, id, token: id, job: 'Job', params: '1', priority: 0, retries: 0 });
  await backend.tasks.add([
    Array.from({ length: count }, () => ({ ...task(randomUUID()), due: { inMs: 0 } })),
  ]);
  const asked = { queues: [{ queue, limit: count }], limit: count, leaseMs, runner: 'r' };
  return (await backend.tasks.claim(asked)).tasks;
}

const noted = (task: ClaimedTask, message: string) => ({ ...task, notes: { lines: [{ at: 1, message }] } });
const linesOf = async ({ queue, id }: ClaimedTask) =>
  (await backend.catalog.get({ queue, id }))?.lines?.map(({ message }) => message);

describe('Notes of runs on PostgreSQL', () => {
  it('wait for a moment where another has the task in hand, and are written once', async () => {
    const [held, free] = await running(2);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM "${schema}".tasks WHERE id = $1 FOR UPDATE`, [held!.id]);
    const writing = backend.tasks.annotate([noted(held!, 'held'), noted(free!, 'free')]);
    await eventually(async () => (await linesOf(free!)) !== undefined);
    expect(await linesOf(held!)).toBeUndefined();
    await client.query('COMMIT');
    client.release();
    await writing;
    expect([await linesOf(held!), await linesOf(free!)]).toEqual([['held'], ['free']]);
  });

  it('are given up where a transaction keeps the task, and keep nobody waiting', async () => {
    const [held, free] = await running(2);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM "${schema}".tasks WHERE id = $1 FOR UPDATE`, [held!.id]);
    await backend.tasks.annotate([noted(held!, 'held'), noted(free!, 'free')]);
    expect(await linesOf(free!)).toEqual(['free']);
    await client.query('ROLLBACK');
    client.release();
    expect(await linesOf(held!)).toBeUndefined();
  });

  it('touch no index', async () => {
    const [task] = await running(1);
    const client = await pool.connect();
    await client.query('BEGIN');
    for (let n = 0; n < 10; n++)
      await client.query(`SELECT "${schema}".annotate_v1($1)`, [
        JSON.stringify([[task!.queue, task!.id, task!.epoch, { percent: n }, [{ at: n, message: 'line' }]]]),
      ]);
    const { rows } = await client.query<{ all: string; hot: string }>(
      'SELECT pg_stat_get_xact_tuples_updated(t.oid) AS all, pg_stat_get_xact_tuples_hot_updated(t.oid) AS hot FROM pg_class t WHERE t.oid = $1::regclass',
      [`"${schema}".tasks`],
    );
    await client.query('COMMIT');
    client.release();
    expect(rows).toEqual([{ all: '10', hot: '10' }]);
    expect(await linesOf(task!)).toHaveLength(10);
  });
});
