import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Backend, ClaimedTask } from '../../lib/backend/backend.js';
import type { Outcome } from '../../lib/task/outcome.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { eventually } from '../support/app.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { endLeasesSql } from '../support/postgres-time.js';
import { boom, leaseMs, success } from './conformance/setup.js';

const { schema, pool, open, rows } = onOwnSchema();
let backend: Backend;
beforeAll(async () => void (backend = await open()));

/** A queue of its own, and what a test does to it. */
function line() {
  const queue = randomUUID();
  const task = (): NewTask => {
    const id = randomUUID();
    return { queue, id, token: id, job: 'Job', params: '1', priority: 0, retries: 3, due: { inMs: 0 } };
  };
  const claim = (limit: number, by = backend, runner = 'one') =>
    by.tasks.claim({ queues: [{ queue, limit }], limit, leaseMs, runner });
  const outcomesOf = (tasks: readonly ClaimedTask[], outcome: Outcome) =>
    tasks.map(({ queue, id, epoch, receipt }) => ({ queue, id, epoch, receipt, outcome }));
  return {
    queue,
    claim,
    add: (count: number) => backend.tasks.add([Array.from({ length: count }, task)]),
    settle: (tasks: readonly ClaimedTask[], outcome: Outcome = success) =>
      backend.tasks.settle(outcomesOf(tasks, outcome)),
    /** As a busy runner does: successes go beside the next claim. */
    async exchange(tasks: readonly ClaimedTask[], limit: number) {
      const settling = backend.tasks.settle(outcomesOf(tasks, success));
      const { tasks: next } = await claim(limit);
      expect(await settling).toEqual(tasks.map(() => 'settled'));
      return next;
    },
    renew: (tasks: readonly ClaimedTask[]) => backend.tasks.renew(tasks, leaseMs),
    /** What runners have done once a second. */
    tidy: () =>
      pool.query(`SELECT "${schema}".purge_v1($1)`, [JSON.stringify({ queues: [queue], remember: 60_000 })]),
    /** Brings the end of notes near, as time does; the leases themselves may have been renewed. */
    soonOver: () =>
      pool.query(
        `UPDATE "${schema}".leases SET ends_at = least(ends_at, "${schema}".now_ms() + 2000) WHERE queue = $1`,
        [queue],
      ),
    notes: () =>
      rows<{ epoch: string; tasks: string[]; in_ms: number }>(
        `SELECT epoch, tasks, (ends_at - "${schema}".now_ms())::float AS in_ms
         FROM "${schema}".leases WHERE queue = $1 ORDER BY epoch`,
        [queue],
      ),
    /** Tasks that run and that no note leads to, or a note that would be looked at too late. */
    unnoted: () =>
      rows(
        `SELECT t.id FROM "${schema}".tasks t WHERE t.queue = $1 AND t.state = 'pending' AND NOT EXISTS (
           SELECT FROM "${schema}".leases l
           WHERE l.queue = t.queue AND l.epoch = t.epoch AND t.id = ANY (l.tasks) AND l.ends_at <= t.lease_ends_at
         )`,
        [queue],
      ),
    shelves: () =>
      rows<{ shelf: string }>(
        `SELECT DISTINCT shelf FROM "${schema}".tasks WHERE queue = $1 AND state = 'pending'`,
        [queue],
      ),
  };
}

const ids = (tasks: readonly { readonly id: string }[]) => tasks.map(({ id }) => id).sort();

describe('The note of a claim', () => {
  it('names what it has taken, and is gone with the last of it', async () => {
    const { add, claim, exchange, notes } = line();
    await add(10);
    const { tasks } = await claim(10);
    expect(await notes()).toEqual([
      { epoch: `${tasks[0]!.epoch}`, tasks: expect.any(Array), in_ms: expect.any(Number) },
    ]);
    expect([...(await notes())[0]!.tasks].sort()).toEqual(ids(tasks));
    await exchange(tasks, 1);
    expect(await notes()).toEqual([]);
  });

  it('stays while some of it runs, and is made shorter when its time is nearly over', async () => {
    const { add, claim, exchange, settle, renew, soonOver, tidy, notes } = line();
    await add(10);
    const { tasks } = await claim(10);
    await exchange(tasks.slice(0, 6), 1);
    await settle(tasks.slice(6, 8), { type: 'retry', error: boom, delayMs: 60_000 });
    expect((await notes()).map(({ tasks }) => tasks.length)).toEqual([10]);
    await renew(tasks.slice(8));
    await soonOver();
    await tidy();
    const [note] = await notes();
    expect([...note!.tasks].sort()).toEqual(ids(tasks.slice(8)));
    expect(note!.in_ms).toBeGreaterThan(leaseMs / 2);
    await settle(tasks.slice(8));
    await soonOver();
    await tidy();
    expect(await notes()).toEqual([]);
  });

  it('is one for a queue that a claim asks twice', async () => {
    const [one, other] = [line(), line()];
    await one.add(10);
    await other.add(1);
    const { tasks } = await backend.tasks.claim({
      queues: [one, other].map(({ queue }) => ({ queue, limit: 10 })),
      limit: 10,
      leaseMs,
      runner: 'one',
    });
    expect(tasks).toHaveLength(10);
    expect((await one.notes()).map(({ tasks }) => tasks.length)).toEqual([9]);
    expect(await one.unnoted()).toEqual([]);
    expect(await other.unnoted()).toEqual([]);
  });

  it('leads to tasks whose lease has ended, and to none whose lease was renewed, or that have begun anew', async () => {
    const { add, claim, settle, queue, notes, unnoted } = line();
    await add(4);
    const { tasks } = await claim(4);
    const [lost, renewed, back, again] = tasks as [ClaimedTask, ClaimedTask, ClaimedTask, ClaimedTask];
    await settle([back, again], { type: 'handed-back' });
    await pool.query(endLeasesSql(schema, `queue = '${queue}' AND id <> '${renewed.id}'`));
    const next = await claim(1, backend, 'two');
    expect(next.recovered!.map(({ id }) => id)).toEqual([lost.id]);
    expect(next.tasks).toHaveLength(1);
    expect(await unnoted()).toEqual([]);
    const [first, second] = await notes();
    expect(first!.tasks).toEqual([renewed.id]);
    expect(second!.tasks).toEqual(ids(next.tasks));
  });

  it('is left where a transaction has its tasks in hand, until that has ended', async () => {
    const { add, claim, queue, unnoted, notes } = line();
    await add(2);
    const { tasks } = await claim(2);
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM "${schema}".tasks WHERE id = $1 FOR UPDATE`, [tasks[0]!.id]);
      await pool.query(`UPDATE "${schema}".leases SET ends_at = 0 WHERE queue = $1`, [queue]);
      await pool.query(`UPDATE "${schema}".tasks SET lease_ends_at = 0 WHERE id = $1`, [tasks[1]!.id]);
      expect((await claim(0)).recovered!.map(({ id }) => id)).toEqual([tasks[1]!.id]);
      await holder.query(`UPDATE "${schema}".tasks SET lease_ends_at = 0 WHERE id = $1`, [tasks[0]!.id]);
      await holder.query(`UPDATE "${schema}".leases SET ends_at = 0 WHERE queue = $1`, [queue]);
      expect(await unnoted()).toEqual([]);
      await holder.query('COMMIT');
    } finally {
      holder.release(true);
    }
    expect((await claim(0)).recovered!.map(({ id }) => id)).toEqual([tasks[0]!.id]);
    expect(await notes()).toEqual([]);
  });

  it('is shared by two claims that have drawn the same number, and is looked at when the first of their leases ends', async () => {
    const { add, claim, queue, notes, unnoted, settle } = line();
    const other = await open();
    const drawEpoch = `SELECT pg_get_functiondef('"${schema}".draw_epoch'::regproc) AS source`;
    const [{ source } = { source: '' }] = await rows<{ source: string }>(drawEpoch);
    await pool.query(source.replace(/DECLARE[\s\S]*END/, 'BEGIN RETURN 4711; END'));
    try {
      await add(30);
      const long = await claim(10);
      const short = await other.tasks.claim({
        queues: [{ queue, limit: 10 }],
        limit: 10,
        leaseMs: leaseMs / 10,
        runner: 'two',
      });
      expect([long.tasks.length, short.tasks.length]).toEqual([10, 10]);
      expect(await unnoted()).toEqual([]);
      expect((await notes()).map(({ tasks }) => tasks.length)).toEqual([20]);
      // What an answer that was lost has brought one of them goes back, and nothing of the other's.
      const request = { queues: [{ queue, limit: 0 }], limit: 0, leaseMs, runner: 'two', holding: [] };
      await other.tasks.claim(request);
      expect((await backend.catalog.counts(queue)).pending).toBe(10);
      expect(await settle(long.tasks)).toEqual(long.tasks.map(() => 'settled'));
    } finally {
      await pool.query(source);
    }
  });

  it('is found by its tasks where the plans were made while there were none', async () => {
    const { add, claim, queue, settle, soonOver, tidy } = line();
    const fresh = await open();
    const ask = (limit: number) => claim(limit, fresh);
    await add(1);
    const { tasks: first } = await ask(2);
    await settle(first);
    await ask(1);
    await pool.query(
      `INSERT INTO "${schema}".tasks (queue, id, state, priority, due_at, enqueued_at, retries, job, params)
       SELECT $1, 'later-' || n, 'scheduled', 0, "${schema}".now_ms() + 3600000, 0, 0, 'Job', 'null' FROM generate_series(1, 50000) n`,
      [queue],
    );
    await add(20);
    await ask(10);
    await ask(100);
    await soonOver();
    const readSoFar = async () => {
      // A session tells what it read with its next statement, a second after it last did.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await Promise.all([ask(0), tidy()]);
      const [row] = await rows<{ read: number }>(
        `SELECT (idx_tup_fetch + seq_tup_read)::float AS read FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'tasks'`,
        [schema],
      );
      return row!.read;
    };
    const before = await readSoFar();
    for (let n = 0; n < 20; n++) {
      await soonOver();
      await ask(100);
      await tidy();
    }
    const read = (await readSoFar()) - before;
    expect(read).toBeGreaterThan(20);
    expect(read).toBeLessThan(20_000);
  });

  it('is found by its number beside an old snapshot, for which all that were ever made are still there', async () => {
    const { add, claim, exchange, queue } = line();
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await holder.query(`SELECT count(*) FROM "${schema}".tasks`);
      await add(700);
      let { tasks } = await claim(1);
      for (let n = 0; n < 300; n++) tasks = await exchange(tasks, 1);
      await pool.query(`ANALYZE "${schema}".leases`);
      // Another process, whose plans are made now.
      const fresh = await open();
      const readSoFar = async () => {
        // A session tells what it read with its next statement, a second after it last did.
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        await claim(0, fresh);
        const [row] = await rows<{ read: number }>(
          `SELECT sum(idx_tup_read)::float AS read FROM pg_stat_user_indexes WHERE schemaname = $1 AND relname = 'leases'`,
          [schema],
        );
        return row!.read;
      };
      const before = await readSoFar();
      for (let n = 0; n < 50; n++) {
        const { tasks: some } = await claim(2, fresh);
        const settling = fresh.tasks.settle(
          some.map(({ id, epoch, receipt }) => ({ queue, id, epoch, receipt, outcome: success })),
        );
        await claim(0, fresh);
        expect(await settling).toEqual(['settled', 'settled']);
      }
      const read = (await readSoFar()) - before;
      expect(read).toBeGreaterThan(20);
      expect(read).toBeLessThan(2_000);
    } finally {
      holder.release(true);
    }
  });

  it('is there for every task that runs, whatever two processes do at once', async () => {
    const { add, claim, settle, exchange, renew, soonOver, tidy, queue, unnoted, notes } = line();
    const other = await open();
    let held: ClaimedTask[] = [];
    const some = () => held.splice(0, Math.floor(Math.random() * (held.length + 1)));
    const take = async (limit: number, by?: Backend) => void held.push(...(await claim(limit, by)).tasks);
    const steps: (() => Promise<unknown>)[] = [
      () => add(5),
      () => take(4),
      () => take(7, other),
      () => settle(some()),
      () => settle(some(), { type: 'retry', error: boom, delayMs: 0 }),
      () => settle(some(), { type: 'handed-back' }),
      async () => void held.push(...(await exchange(some(), 3))),
      () => renew(held),
      soonOver,
      tidy,
      async () => {
        const lost = some();
        if (lost.length === 0) return;
        const named = lost.map(({ id }) => `'${id}'`).join();
        await pool.query(endLeasesSql(schema, `queue = '${queue}' AND id IN (${named})`));
      },
    ];
    for (let round = 0; round < 60; round++) {
      const step = () => steps[Math.floor(Math.random() * steps.length)]!();
      await Promise.all([step().catch(ignoreLost), step().catch(ignoreLost), tidy()]);
      expect(await unnoted()).toEqual([]);
    }
    // What was lost on the way has come back, and all of it ends.
    await pool.query(endLeasesSql(schema, `queue = '${queue}'`));
    await eventually(async () => {
      held = (await claim(1_000)).tasks as ClaimedTask[];
      await settle(held);
      return held.length === 0;
    });
    await soonOver();
    await tidy();
    expect(await notes()).toEqual([]);
  }, 120_000);
});

/** A step beside it may have taken a task away; what counts is that every task that runs is noted. */
function ignoreLost(error: unknown): void {
  if (!(error as { matcherResult?: unknown }).matcherResult) throw error;
}

describe('A task that runs', () => {
  it('keeps its place in the index of those that wait where runs have been short, and leaves it where they were long', async () => {
    const { add, claim, exchange, shelves } = line();
    await add(1_000);
    // Nothing is known of this queue yet.
    let { tasks } = await claim(1);
    expect(await shelves()).toEqual([{ shelf: 'pending' }]);
    const goesOn = async (restMs: number, shelf: string) => {
      // What looks at the shelves may take longer than a short run.
      for (let n = 0; n < 8; n++) {
        await new Promise((resolve) => setTimeout(resolve, restMs));
        tasks = await exchange(tasks, 1);
      }
      return (await shelves())[0]!.shelf === shelf;
    };
    await eventually(() => goesOn(0, 'waiting'));
    await eventually(() => goesOn(50, 'pending'));
  });

  it('leaves it at the first renewal', async () => {
    const { add, claim, exchange, renew, shelves } = line();
    await add(1_000);
    let { tasks } = await claim(1);
    await eventually(async () => {
      tasks = await exchange(tasks, 1);
      return (await shelves())[0]!.shelf === 'waiting';
    });
    expect((await renew(tasks)).lost).toEqual([]);
    expect(await shelves()).toEqual([{ shelf: 'pending' }]);
  });

  it('costs no entry in any index where it keeps its place', async () => {
    const { add, claim, exchange, shelves } = line();
    await add(400);
    let { tasks } = await claim(1);
    await eventually(async () => {
      tasks = await exchange(tasks, 1);
      return (await shelves())[0]!.shelf === 'waiting';
    });
    const updates = async () => {
      await pool.query('SELECT pg_stat_clear_snapshot()');
      const [row] = await rows<{ all: number; hot: number }>(
        `SELECT n_tup_upd::float AS all, n_tup_hot_upd::float AS hot FROM pg_stat_user_tables
         WHERE schemaname = $1 AND relname = 'tasks'`,
        [schema],
      );
      return row!;
    };
    // Told by the server with some delay.
    const before = await updates();
    for (let n = 0; n < 20; n++) tasks = await exchange(tasks, 10);
    await eventually(async () => (await updates()).all - before.all >= 150);
    const after = await updates();
    expect((after.hot - before.hot) / (after.all - before.all)).toBeGreaterThan(0.5);
  });
});
