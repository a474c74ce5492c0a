import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Backend, ClaimedTask, ClaimRequest } from '../../lib/backend/backend.js';
import type { Settled } from '../../lib/task/outcome.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { leaseMs } from './conformance/setup.js';

const { schema, pool, open } = onOwnSchema();
let backend: Backend;
beforeAll(async () => void (backend = await open()));

let holder: pg.PoolClient | undefined;
afterEach(() => {
  holder?.release(true);
  holder = undefined;
});

/** Tasks that run, the first of them in the hands of a transaction that stays open. */
async function running(count: number) {
  const queue = randomUUID();
  const task = (id: string) => ({ queue, id, token: id, job: 'Job', params: '1', priority: 0, retries: 0 });
  await backend.tasks.add([
    Array.from({ length: count }, () => ({ ...task(randomUUID()), due: { inMs: 0 } })),
  ]);
  const asking: ClaimRequest = { queues: [{ queue, limit: count }], limit: count, leaseMs, runner: 'r' };
  const { tasks } = await backend.tasks.claim(asking);
  holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query(`SELECT FROM "${schema}".tasks WHERE id = $1 FOR UPDATE`, [tasks[0]!.id]);
  return { tasks, asking };
}

function settle(tasks: readonly ClaimedTask[]): Promise<Settled[]> {
  const outcome = { type: 'succeeded', keepMs: 0 } as const;
  return backend.tasks.settle(
    tasks.map(({ queue, id, epoch, receipt }) => ({ queue, id, epoch, receipt, outcome })),
  );
}

describe('A transaction that has a task in hand', () => {
  it('holds up neither the other outcomes that are sent with its own, nor those that come later', async () => {
    const { tasks, asking } = await running(4);
    const answered: string[] = [];
    const settling = [tasks.slice(0, 2), [tasks[2]!], [tasks[3]!]].map((some, n) => {
      const settled = settle(some).finally(() => answered.push(['held', 'second', 'third'][n]!));
      // With a claim, as a busy runner does it.
      void backend.tasks.claim(asking);
      return settled;
    });
    expect(await Promise.all(settling)).toEqual([['unanswered', 'settled'], ['settled'], ['settled']]);
    expect(answered.at(-1)).toBe('held');
  });

  it('holds up no outcome that is sent without a claim', async () => {
    const { tasks } = await running(2);
    expect(await settle(tasks)).toEqual(['unanswered', 'settled']);
  });
});
