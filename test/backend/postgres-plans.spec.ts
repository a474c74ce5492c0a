import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { downSql, upSql } from '../../lib/backend/postgres/schema-sql.js';
import { hotSessionSql } from '../../lib/backend/postgres/hot-session.js';
import { isRecovered, readClaimed } from '../../lib/backend/postgres/postgres-records.js';
import { doneTexts } from '../../lib/backend/postgres/postgres-settle.js';
import { recordsOf } from '../../lib/backend/postgres/postgres-text.js';
import type { Lease } from '../../lib/task/outcome.js';
import { endLeasesSql } from '../support/postgres-time.js';

const url = process.env.TEST_POSTGRES_URL!;
const schema = `plans_${randomUUID().slice(0, 8)}`;
let client: pg.Client;
const notices: string[] = [];
const explaining = `SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
  SET auto_explain.log_analyze = on; SET auto_explain.log_level = notice; SET client_min_messages = notice`;

beforeAll(async () => {
  client = new pg.Client(url);
  await client.connect();
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  await client.query(`BEGIN; ${upSql(schema)}; COMMIT`);
  await client.query(`SET search_path = ${schema}`);
  // What statistics say must be ours to decide.
  await client.query(
    'ALTER TABLE tasks SET (autovacuum_enabled = off); ALTER TABLE leases SET (autovacuum_enabled = off)',
  );
  const fill = (state: string, count: number, columns = '', values = '') =>
    client.query(
      `INSERT INTO tasks (queue, id, state, priority, due_at, enqueued_at, retries, job, params, arrival ${columns})
       SELECT 'q', '${state}-' || n, '${state}', 0, now_ms() + CASE '${state}' WHEN 'scheduled' THEN 3600000 + n * 1000 ELSE -n END,
         now_ms(), 3, 'Some', 'null', n ${values} FROM generate_series(1, ${count}) n`,
    );
  await fill('waiting', 800_000);
  await fill('scheduled', 100_000);
  await fill('dead', 50_000, ', finished_at, remove_at', ', now_ms(), now_ms() + 86400000 + n');
  await fill(
    'pending',
    50_000,
    ', epoch, lease_ends_at, runner, attempt',
    ", 7 + n / 100, now_ms() + 600000 + n / 100 * 100, 'other', 1",
  );
  await client.query(`INSERT INTO leases
    SELECT queue, epoch, min(lease_ends_at), runner, array_agg(id) FROM tasks WHERE state = 'pending' GROUP BY queue, epoch, runner`);
  await client.query('INSERT INTO counters SELECT queue, state, count(*) FROM tasks GROUP BY queue, state');
  await client.query("LOAD 'auto_explain'");
  await client.query(explaining);
}, 180_000);

afterAll(async () => {
  await client.query(
    `RESET auto_explain.log_min_duration; BEGIN; ${downSql(schema)}; DROP SCHEMA ${schema}; COMMIT`,
  );
  await client.end();
});

async function call(name: string, argument: unknown): Promise<unknown> {
  const { rows } = await client.query<{ answer: string }>(`SELECT ${schema}.${name}($1) AS answer`, [
    JSON.stringify(argument),
  ]);
  return rows[0]!.answer ? JSON.parse(rows[0]!.answer) : undefined;
}

/** Of an exchange: the letters, and what was claimed. */
async function exchange(argument: {
  readonly limit: number;
  readonly holding?: object;
  readonly outcomes?: object[];
}): Promise<[letters: string, claimed: Lease[]]> {
  const { rows } = await client.query<{ answer: string }>(
    `SELECT ${schema}.exchange_v1('{q}', $1, $2) AS answer`,
    [`{${argument.limit}}`, JSON.stringify(argument)],
  );
  const [[letters] = [], ...found] = recordsOf(rows[0]!.answer);
  const tasks = found.filter((fields) => !isRecovered(fields));
  return [letters!, tasks.map((fields) => readClaimed([{ queue: 'q' }], fields))];
}

/** The shorter way of a claim that asks for nothing else; `here`: in a session that has the settings for it. */
async function claimPlain(limit: number, here = false): Promise<Lease[]> {
  const { rows } = await client.query<{ answer: string }>(
    `SELECT ${schema}.${here ? 'claim_here_v1' : 'claim_plain_v1'}('q', $1, 60000, 'mine', '1000', '', '') AS answer`,
    [limit],
  );
  const [, ...tasks] = recordsOf(rows[0]!.answer);
  return tasks.map((fields) => readClaimed([{ queue: 'q' }], fields));
}

async function settleDone(done: readonly Lease[], here = false): Promise<string> {
  const { rows } = await client.query<{ answer: string }>(
    `SELECT ${schema}.${here ? 'settle_done_here_v1' : 'settle_done_v1'}($1, $2, $3, $4, '0') AS answer`,
    doneTexts(done),
  );
  return rows[0]!.answer;
}

/** More rows than any step may look at, to take or to leave; a step takes a thousand at most. */
const manyRows = 3_000;

/** The statements that went over much of the table, by whatever index, with their plans. */
async function scansOf(work: () => Promise<unknown>): Promise<string[]> {
  notices.length = 0;
  await work();
  expect(notices.filter((plan) => plan.includes('Index'))).not.toEqual([]);
  return notices.filter((plan) => {
    const read = [...plan.matchAll(/(?:Rows Removed by [\w ]+: |actual time=\S+ rows=)(\d+)/g)];
    return /Seq Scan on (tasks|leases)/.test(plan) || read.some(([, rows]) => Number(rows) > manyRows);
  });
}

async function scannedSoFar(): Promise<number> {
  await client.query('SELECT pg_stat_force_next_flush()');
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ n: string }>(
    "SELECT seq_scan AS n FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'tasks'",
    [schema],
  );
  return Number(rows[0]!.n);
}

const nothing = { succeeded: 0, failed: 0, dead: 0, cancelled: 0, lost: 0, run_ms: 0, wait_ms: 0 };

const claim = (limit = 10) => ({
  limit,
  leaseMs: 60_000,
  runner: 'mine',
  turn: 0,
  declares: ['Some'],
  deadKeep: 1_000,
  cancelledKeep: 1_000,
});

describe.each(['without', 'with'])('A million tasks, %s statistics', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'with') await client.query('ANALYZE tasks, leases');
  });

  it('are claimed, settled and renewed by indexes alone', async () => {
    const before = await scannedSoFar();
    const scans = await scansOf(async () => {
      const [, first] = await exchange(claim());
      expect(first).toHaveLength(10);
      // A lease that was renewed has moved its row; the others are where the claim has put them.
      const leases = first.slice(0, 2).map(({ id, epoch }) => ['q', id, epoch]);
      expect(await call('renew_v1', { leaseMs: 60_000, leases })).toBe('kk');
      expect(await settleDone(first.slice(0, 5))).toBe('sssss');
      expect(notices.filter((plan) => plan.includes('Tid Scan on tasks t'))).not.toEqual([]);
      const outcomes = first.slice(5).map(({ id, epoch }, at) => ({
        queue: 'q',
        id,
        epoch,
        type: ['retry', 'succeeded', 'snoozed', 'handed-back', 'dead'][at],
        ms: 60_000,
        error: { name: 'Error', message: 'no' },
      }));
      const [letters] = await exchange({ ...claim(), outcomes });
      expect(letters).toBe('sssss');
      const lost = [{ queue: 'q', id: 'waiting-1', epoch: 1, receipt: first[0]!.receipt }];
      expect(await settleDone(lost)).toBe('l');
      const repeated = lost.map((lease) => ({ ...lease, type: 'succeeded', ms: 0 }));
      expect(await call('settle_v1', { outcomes: repeated, cancelledKeep: 0 })).toBe('l');
    });
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
  });

  it.each([false, true])(
    'are claimed and settled by indexes alone where a runner asks for nothing else, the shorter way, in its session: %s',
    async (here) => {
      const before = await scannedSoFar();
      if (here) await client.query(hotSessionSql(schema));
      try {
        for (const limit of [1, 100]) {
          const scans = await scansOf(async () => {
            const claimed = await claimPlain(limit, here);
            expect(claimed).toHaveLength(limit);
            expect(await settleDone(claimed, here)).toBe('s'.repeat(limit));
          });
          expect(scans).toEqual([]);
          // The other way was not needed.
          expect(notices.filter((plan) => plan.includes('t.priority < below'))).toEqual([]);
          // Notes of what was done long ago would be passed over by each claim, and by each that is settled.
          const [claim, settle] = notices.filter((plan) => plan.includes('using leases_'));
          expect(claim).toContain('using leases_by_end on leases l');
          expect(settle).toContain('using leases_pkey on leases l');
          expect(settle).toContain('Index Cond: (epoch = ANY');
        }
      } finally {
        if (here) await client.query(`RESET ALL; SET search_path = ${schema}; ${explaining}`);
      }
      expect(await scannedSoFar()).toBe(before);
    },
  );

  it('are promoted, recovered and purged by indexes alone', async () => {
    await client.query(`
      UPDATE tasks SET due_at = 1 WHERE queue = 'q' AND id IN ('scheduled-1', 'scheduled-2');
      ${endLeasesSql(schema, "queue = 'q' AND id IN ('pending-1', 'pending-2')")}
      UPDATE leases SET ends_at = now_ms() + 2000 WHERE ends_at > 0 AND epoch BETWEEN 20 AND 25;
      UPDATE tasks SET remove_at = 1 WHERE queue = 'q' AND id IN ('dead-1', 'dead-2');`);
    const before = await scannedSoFar();
    const scans = await scansOf(async () => {
      await exchange(claim(1));
      expect(await call('purge_v1', { queues: ['q'], remember: 60_000 })).toBe(false);
    });
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
    // Notes whose leases last longer say so again.
    const { rows: soonOver } = await client.query(
      'SELECT FROM leases WHERE ends_at < now_ms() + 60000 AND epoch < 1000',
    );
    expect(soonOver).toEqual([]);
    const states = await client.query<{ state: string }>(
      "SELECT state FROM tasks WHERE queue = 'q' AND id IN ('scheduled-2', 'pending-2', 'dead-2') ORDER BY id",
    );
    for (const { state } of states.rows) expect(state).not.toMatch(/dead|scheduled/);
  });

  it('are handed back after a lost answer by a look at the notes of the runner only', async () => {
    const before = await scannedSoFar();
    const scans = await scansOf(() => exchange({ ...claim(1), holding: {} }));
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
  });

  it('do not slow what is added, with an id, a lock or neither', async () => {
    const before = await scannedSoFar();
    const task = (id: string, more: object = {}) => ({
      queue: 'q',
      id,
      job: 'Some',
      params: 'null',
      retries: 0,
      ...more,
    });
    const locked = (id: string) =>
      task(id, { token: id, key: 'k', phase: 'until_executed', conflict: 'reject' });
    const scans = await scansOf(async () => {
      const add = (tasks: object[]) =>
        call('add_v1', { call: randomUUID(), tasks, sizes: tasks.map(() => 1) });
      expect(await add([task(randomUUID()), task(randomUUID())])).toBeUndefined();
      expect(await add([task('waiting-100', { token: 'other' })])).toEqual([['existing', null]]);
      expect(await add([task('dead-100', { token: statistics, replace: true })])).toEqual([
        ['replaced', null],
      ]);
      await add([locked(randomUUID())]);
      expect(await add([locked(randomUUID())])).toEqual([['rejected', expect.any(String)]]);
    });
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
  });

  it('are looked at, page by page, and acted upon by indexes alone', async () => {
    const before = await scannedSoFar();
    const scans = await scansOf(async () => {
      for (const state of ['waiting', 'scheduled', 'dead', 'parked', 'succeeded', 'cancelled']) {
        for (const backwards of [false, true]) {
          const asked = { queue: 'q', state, limit: 10, backwards };
          const [page, place] = (await call('list_v1', asked)) as [unknown[], string[] | null];
          if (page.length < 10) continue;
          const [next] = (await call('list_v1', { ...asked, place })) as [unknown[]];
          expect(next).toHaveLength(10);
        }
      }
      await call('get_v1', { queue: 'q', id: 'waiting-500' });
      await call('locks_v1', { queue: 'q', limit: 10 });
      await call('lock_v1', { queue: 'q', key: 'k' });
      await call('act_v1', { act: 'runNow', cancelledKeep: 0, refs: [['q', 'scheduled-500']] });
      await call('act_v1', { act: 'retry', cancelledKeep: 0, refs: [['q', 'dead-500']] });
      await call('unpark_v1', { queue: 'q', definitions: [['Some', 'f']] });
    });
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
  });

  it('that run are looked through by their claims for a page in order of arrival', async () => {
    const before = await scannedSoFar();
    const scans = await scansOf(async () => {
      for (const backwards of [false, true]) {
        const asked = { queue: 'q', state: 'pending', limit: 10, bytes: 1_000_000, backwards };
        const [, place] = (await call('list_v1', asked)) as [unknown[], string[]];
        const [next] = (await call('list_v1', { ...asked, place })) as [unknown[]];
        expect(next).toHaveLength(10);
      }
    });
    // All that run are read, for their order, and nothing else.
    expect(scans.length).toBeGreaterThan(0);
    for (const plan of scans) {
      expect(plan).toMatch(/Index Cond: \(\(t?\.?id = ANY \(l\.tasks\)\) AND \(t?\.?queue = /);
      const removed = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, rows]) => Number(rows));
      expect(Math.max(0, ...removed)).toBeLessThan(manyRows);
    }
    expect(await scannedSoFar()).toBe(before);
  });

  it('are seen at a glance by a look for each priority', async () => {
    await client.query(`INSERT INTO tasks (queue, id, state, priority, due_at, enqueued_at, retries, job, params)
      SELECT 'q', 'odd-${statistics}-' || n, 'waiting', n, now_ms() - n, now_ms(), 3, 'Some', 'null' FROM generate_series(1, 50) n`);
    const oldest = await client.query<{ due: string }>(
      "SELECT min(due_at) AS due FROM tasks WHERE queue = 'q' AND state = 'waiting'",
    );
    const before = await scannedSoFar();
    let glanced: [counts: Record<string, number>, waitingMs: number, pausedMs: null][] = [];
    const scans = await scansOf(async () => {
      glanced = (await call('glance_v1', ['q', 'unknown'])) as typeof glanced;
      expect(await call('counts_v1', { queue: 'q' })).toEqual(glanced[0]![0]);
      await call('fold_v1', {});
    });
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
    const [[counts, waitingMs] = []] = glanced;
    expect(counts!.waiting).toBeGreaterThan(700_000);
    expect(Math.abs(Date.now() - Number(oldest.rows[0]!.due) - waitingMs!)).toBeLessThan(60_000);
  });

  it('are told of by runners, and annotated, by indexes alone', async () => {
    const before = await scannedSoFar();
    const scans = await scansOf(async () => {
      const [, [first]] = await exchange(claim(1));
      const notes = [['q', first!.id, first!.epoch, { percent: 1 }, [{ at: 1, message: 'line' }]]];
      expect(await call('annotate_v1', notes)).toEqual([]);
      expect(await call('annotate_v1', [['q', 'waiting-300', 1, null, []]])).toEqual([]);
      await call('report_v1', {
        name: 'r',
        info: '{}',
        aliveMs: 60_000,
        runs: [{ ...nothing, queue: 'q', job: 'Some', succeeded: 1 }],
        slots: [],
      });
      await call('jobs_v1', ['q']);
      await call('throughput_v1', { queue: 'q' });
      await call('slots_v1', { queue: 'q', id: 's' });
      await call('runners_v1', {});
    });
    expect(scans).toEqual([]);
    expect(await scannedSoFar()).toBe(before);
  });
});
