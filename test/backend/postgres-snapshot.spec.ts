import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Backend, ClaimedTask } from '../../lib/backend/backend.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { eventually } from '../support/app.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { leaseMs } from './conformance/setup.js';

const { schema, pool, open, rows } = onOwnSchema();
const litter = 3_000;
const perClaim = 100;

let queue: string;
let backend: Backend;
let snapshot: pg.PoolClient;

beforeEach(async () => {
  queue = randomUUID();
  backend = await open();
  snapshot = await pool.connect();
  await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await snapshot.query(`SELECT FROM "${schema}".tasks LIMIT 1`);
});
afterEach(async () => {
  await snapshot.query('COMMIT');
  snapshot.release();
});

const task = (fields: Partial<NewTask> = {}): NewTask => {
  const id = fields.id ?? randomUUID();
  return {
    queue,
    token: id,
    job: 'Job',
    params: '1',
    priority: 0,
    retries: 0,
    due: { inMs: 0 },
    ...fields,
    id,
  };
};
const add = async (count: number, fields?: Partial<NewTask>) =>
  backend.tasks.add([Array.from({ length: count }, () => task(fields))]);
const claim = async (limit = perClaim): Promise<ClaimedTask[]> =>
  (await backend.tasks.claim({ queues: [{ queue, limit }], limit, leaseMs, runner: 'r' })).tasks;
const succeed = (tasks: readonly ClaimedTask[]) =>
  backend.tasks.settle(
    tasks.map(({ id, epoch, receipt }) => ({
      ...{ queue, id, epoch, receipt },
      outcome: { type: 'succeeded', keepMs: 0 } as const,
    })),
  );

/** Runs tasks whose rows cannot be cleared away while the snapshot is open. */
async function runAll(count: number): Promise<void> {
  await add(count);
  for (let done = 0; done < count; done += perClaim) await succeed(await claim());
}

/** Entries that claims have read in the index of waiting tasks, as far as sessions have told. */
async function entriesRead(): Promise<number> {
  const index = await rows<{ n: string }>(
    `SELECT idx_tup_read AS n FROM pg_stat_user_indexes WHERE schemaname = $1 AND indexrelname = 'tasks_waiting'`,
    [schema],
  );
  return Number(index[0]!.n);
}

/** A session that closes tells what it has read. */
async function readBy(work: () => Promise<unknown>): Promise<number> {
  const before = await entriesRead();
  await work();
  await backend.close();
  let after = await entriesRead();
  await eventually(async () => {
    const latest = await entriesRead();
    const isStill = latest === after && latest > before;
    after = latest;
    return isStill;
  });
  return after - before;
}

describe('Claims on PostgreSQL beside an old snapshot', () => {
  it('do not read again and again what was claimed before', async () => {
    const claims = 30;
    const read = await readBy(async () => {
      await runAll(litter);
      await add(claims * perClaim);
      for (let n = 0; n < claims; n++) expect(await succeed(await claim())).toHaveLength(perClaim);
    });
    // Once a second everything is looked at; without an edge each of these claims would read all of the litter.
    expect(read).toBeLessThan((claims * litter) / 2);
  });

  it('keep to the order: better priorities, and what this process gives back, come first', async () => {
    await runAll(litter);
    await add(3 * perClaim);
    await succeed(await claim());
    const [first, ...others] = await claim();
    await add(1, { id: 'urgent', priority: -1 });
    await backend.tasks.settle([{ ...first!, outcome: { type: 'handed-back' } }]);
    expect((await claim(2)).map(({ id }) => id)).toEqual(['urgent', first!.id]);
    await add(1, { id: 'of yesterday', due: { inMs: -86_400_000 } });
    expect((await claim(1)).map(({ id }) => id)).toEqual(['of yesterday']);
    expect(await succeed(others)).not.toContain('lost');
  });

  it('find what another process puts before the others within a moment', async () => {
    await runAll(litter);
    await add(perClaim);
    await succeed(await claim(perClaim / 2));
    const other = await open();
    await other.tasks.add([[task({ id: 'from elsewhere', due: { inMs: -86_400_000 } })]]);
    await eventually(async () => {
      const [best] = await claim(1);
      // Nothing else is left to claim after a while: it must come before that.
      expect(best).toBeDefined();
      return best!.id === 'from elsewhere' || !(await new Promise((resolve) => setTimeout(resolve, 100)));
    });
  });
});
