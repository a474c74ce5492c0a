import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { eventually } from '../support/app.js';
import type { Backend } from '../../lib/backend/backend.js';
import { postgresBackend } from '../../lib/backend/postgres/postgres-backend.js';
import { leaseMs, settings } from './conformance/setup.js';

Logger.overrideLogger(false);

const prefix = `calls ${randomUUID().slice(0, 8)}`;
const url = process.env.TEST_POSTGRES_URL!;
const pool = new pg.Pool({ connectionString: url, max: 2 });
let backend: Backend;
beforeAll(async () => {
  backend = postgresBackend({ url });
  await backend.open({ ...settings, prefix });
});
afterAll(async () => {
  await backend.close();
  await pool.query(`DROP SCHEMA "${prefix}" CASCADE`);
  await pool.end();
});

const add = async (call: string, tasks: Record<string, unknown>[]) => {
  const asked = JSON.stringify({ call, tasks, sizes: [tasks.length] });
  const { rows } = await pool.query<{ answer: string }>(`SELECT "${prefix}".add_v1($1) AS answer`, [asked]);
  return rows[0]!.answer;
};
const task = (fields: Record<string, unknown>) => ({ job: 'Job', params: '1', retries: 0, ...fields });
const claim = (queue: string) =>
  backend.tasks.claim({ queues: [{ queue, limit: 10 }], limit: 10, leaseMs, runner: 'r' });
const calls = async () =>
  (await pool.query<{ call: string }>(`SELECT call FROM "${prefix}".calls`)).rows.map((row) => row.call);

describe('A call that is made again because its answer was lost', () => {
  it('makes no second task, though the first has run and is gone', async () => {
    const [call, queue] = [randomUUID(), randomUUID()];
    await add(call, [task({ queue, id: 'a' })]);
    const { tasks } = await claim(queue);
    const outcome = { type: 'succeeded', keepMs: 0 } as const;
    await backend.tasks.settle(tasks.map(({ id, epoch }) => ({ queue, id, epoch, outcome })));
    expect(await add(call, [task({ queue, id: 'a' })])).toBe('');
    expect((await claim(queue)).tasks).toEqual([]);
    expect(await add(randomUUID(), [task({ queue, id: 'a' })])).toBe('');
    expect((await claim(queue)).tasks).toHaveLength(1);
  });

  it('is told what the first was told, whatever has changed since', async () => {
    const [call, queue] = [randomUUID(), randomUUID()];
    const lock = { key: 'k', phase: 'until_completed', conflict: 'reject' };
    await add(randomUUID(), [task({ queue, id: 'holder', ...lock })]);
    const sent = [task({ queue, id: 'late', ...lock }), task({ queue, id: 'free' })];
    const answer = await add(call, sent);
    expect(JSON.parse(answer)).toEqual([
      ['rejected', 'holder'],
      ['enqueued', null],
    ]);
    await backend.catalog.remove([{ queue, id: 'holder' }]);
    expect(await add(call, sent)).toBe(answer);
    expect((await claim(queue)).tasks.map(({ id }) => id)).toEqual(['free']);
  });

  it('waits for a first that is still under way', async () => {
    const [call, queue] = [randomUUID(), randomUUID()];
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`INSERT INTO "${prefix}".calls VALUES ($1, 0, 'as before')`, [call]);
      const again = add(call, [task({ queue, id: 'a' })]);
      await client.query('COMMIT');
      expect(await again).toBe('as before');
    } finally {
      client.release();
    }
  });
});

describe('Calls', () => {
  it('are forgotten when nobody repeats them any more', async () => {
    const [old, fresh, queue] = [randomUUID(), randomUUID(), randomUUID()];
    await add(old, [task({ queue, id: 'a' })]);
    await add(fresh, [task({ queue, id: 'b' })]);
    await pool.query(`UPDATE "${prefix}".calls SET at = at - 600000 WHERE call = $1`, [old]);
    // Another backend: it has not looked after them in this second.
    const other = postgresBackend({ url });
    await other.open({ ...settings, prefix });
    try {
      await other.tasks.claim({ queues: [{ queue, limit: 0 }], limit: 0, leaseMs, runner: 'r' });
      await eventually(async () => !(await calls()).includes(old));
    } finally {
      await other.close();
    }
    expect(await calls()).toContain(fresh);
  });
});
