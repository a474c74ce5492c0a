import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Backend, ClaimRequest } from '../../lib/backend/backend.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { endLeasesSql } from '../support/postgres-time.js';

const { schema, pool, open } = onOwnSchema();
let backend: Backend;
beforeAll(async () => void (backend = await open()));

let holder: pg.PoolClient | undefined;
afterEach(() => {
  holder?.release(true);
  holder = undefined;
});

/** A queue of its own, and what a test does to it. */
function line() {
  const queue = randomUUID();
  const asking: ClaimRequest = { queues: [{ queue, limit: 5 }], limit: 5, leaseMs: 600_000, runner: 'r' };
  const task = (due: NewTask['due']): NewTask => {
    const id = randomUUID();
    return { queue, id, token: id, job: 'Job', params: '1', priority: 0, retries: 0, due };
  };
  return {
    claim: () => backend.tasks.claim(asking),
    add: (inMs: number, count = 1) =>
      backend.tasks.add([Array.from({ length: count }, () => task({ inMs }))]),
    /** Moves times of tasks in a state. */
    set: (state: string, column: string, value: string) =>
      pool.query(`UPDATE "${schema}".tasks SET ${column} = ${value} WHERE queue = $1 AND state = $2`, [
        queue,
        state,
      ]),
    endLeases: () => pool.query(endLeasesSql(schema, `queue = '${queue}'`)),
    /** A transaction takes tasks in hand, and stays open. */
    async hold() {
      holder = await pool.connect();
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM "${schema}".tasks WHERE queue = $1 FOR UPDATE`, [queue]);
    },
    free: () => holder!.query('ROLLBACK'),
  };
}

const past = `"${schema}".now_ms() - 60000`;
/** Neither at once nor late. */
function expectSoon([inMs]: readonly number[]): void {
  expect(inMs).toBeGreaterThan(0);
  expect(inMs).toBeLessThanOrEqual(200);
}

describe('A claim that finds what is due in the hands of an open transaction', () => {
  it('looks again after a moment, not at once, and finds it when the transaction has ended', async () => {
    const { add, set, hold, free, claim } = line();
    await add(60_000);
    await set('scheduled', 'due_at', past);
    await hold();
    expectSoon((await claim()).nextInMs);
    await free();
    expect((await claim()).tasks).toHaveLength(1);
  });

  it('does the same where a lease has ended', async () => {
    const { add, endLeases, hold, free, claim } = line();
    await add(0);
    await claim();
    await endLeases();
    await hold();
    expectSoon((await claim()).nextInMs);
    await free();
    expect((await claim()).recovered).toHaveLength(1);
  });

  it('is not late for what is due before that', async () => {
    const { add, set, hold, claim } = line();
    await add(60_000);
    await set('scheduled', 'due_at', past);
    await hold();
    await add(100);
    const [inMs] = (await claim()).nextInMs;
    expect(inMs).toBeLessThanOrEqual(100);
    expect(await claimedIn(claim, 1)).toBe(1);
  });

  it('looks at once where more was due than one claim looks at', async () => {
    const { add, set, claim } = line();
    await add(60_000, 1_100);
    await set('scheduled', 'due_at', past);
    await set('scheduled', 'expires_at', past);
    // All that the first has promoted has expired.
    expect(await claim()).toMatchObject({ tasks: [], nextInMs: [0] });
    expect((await claim()).nextInMs).toEqual([Infinity]);
  });

  it('goes on with what waits', async () => {
    const { add, set, hold, claim } = line();
    await add(60_000);
    await set('scheduled', 'due_at', past);
    await hold();
    await add(0, 7);
    expect(await claim()).toMatchObject({ nextInMs: [0] });
    const { tasks, nextInMs } = await claim();
    expect(tasks).toHaveLength(2);
    expectSoon(nextInMs);
  });
});

/** Claims when each says so, until so many were taken. */
async function claimedIn(claim: () => ReturnType<Backend['tasks']['claim']>, wanted: number) {
  let taken = 0;
  for (let looks = 0; taken < wanted && looks < 100; looks++) {
    const { tasks, nextInMs } = await claim();
    taken += tasks.length;
    await new Promise((resolve) => setTimeout(resolve, Math.min(nextInMs[0]!, 200)));
  }
  return taken;
}
