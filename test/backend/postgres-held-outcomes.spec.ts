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
    expect(await Promise.all(settling)).toEqual([['held', 'settled'], ['settled'], ['settled']]);
    expect(answered.at(-1)).toBe('held');
  });

  it.each(['cancel', 'retry', 'remove', 'runNow'] as const)(
    'is left alone by %s, with its task and no other',
    async (act) => {
      const { tasks } = await running(3);
      const refs = tasks.map(({ queue, id }) => ({ queue, id }));
      const others = { cancel: 'requested', retry: 'left', remove: 'left', runNow: 'left' }[act];
      expect(await backend.catalog[act](refs)).toEqual(['left', others, others]);
      const [held, other] = await Promise.all(refs.map((ref) => backend.catalog.get(ref)));
      expect([held!.cancelRequested, other!.cancelRequested]).toEqual([false, act === 'cancel']);
    },
  );

  it('holds up an act on many tasks no longer than one call may take, though it has them all in hand', async () => {
    const { tasks } = await running(500);
    const ids = tasks.map(({ id }) => id);
    await holder!.query(`SELECT FROM "${schema}".tasks WHERE id = ANY ($1) FOR UPDATE`, [ids]);
    const answers = await backend.catalog.cancel(tasks.map(({ queue, id }) => ({ queue, id })));
    expect(new Set(answers)).toEqual(new Set(['left']));
  });

  it('is waited for by an act for a moment: it may be about to end', async () => {
    const { tasks } = await running(1);
    const [{ queue, id }] = tasks as [ClaimedTask];
    const cancelling = backend.catalog.cancel([{ queue, id }]);
    await holder!.query('COMMIT');
    expect(await cancelling).toEqual(['requested']);
  });

  it('keeps a task whose lock it is about to take from being started anew, and no other', async () => {
    const queue = randomUUID();
    const lock = { key: 'k', phase: 'until_completed', onConflict: 'reject' } as const;
    const task = (id: string) => ({ queue, id, token: id, job: 'Job', params: '1', priority: 0, retries: 0 });
    await backend.tasks.add([
      [{ ...task('a'), due: { inMs: 0 }, lock }],
      [{ ...task('b'), due: { inMs: 0 } }],
    ]);
    const refs = ['a', 'b'].map((id) => ({ queue, id }));
    expect(await backend.catalog.cancel(refs)).toEqual(['done', 'done']);
    holder = await pool.connect();
    await holder.query('BEGIN');
    await backend.transactions!.add(holder, [{ ...task('c'), due: { inMs: 0 }, lock }]);
    expect(await backend.catalog.retry(refs)).toEqual(['taken', 'done']);
  });

  it('holds up no claim that takes back what a lost answer has claimed: that task comes back by its lease', async () => {
    const { tasks, asking } = await running(3);
    const { tasks: again } = await backend.tasks.claim({ ...asking, holding: [] });
    expect(again.map(({ id }) => id).sort()).toEqual([tasks[1]!.id, tasks[2]!.id].sort());
    const held = await backend.catalog.get(tasks[0]!);
    expect(held).toMatchObject({ state: 'pending', attempt: 1 });
  });

  it('holds up no outcome that is sent without a claim', async () => {
    const { tasks } = await running(2);
    expect(await settle(tasks)).toEqual(['held', 'settled']);
  });
});
