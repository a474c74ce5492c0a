import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Backend } from '../../lib/backend/backend.js';
import type { RunnerReport } from '../../lib/backend/stats-store.js';
import type { NewTask } from '../../lib/task/task-record.js';
import { onOwnSchema } from '../support/postgres-schema.js';
import { endLeasesSql } from '../support/postgres-time.js';
import { leaseMs } from './conformance/setup.js';

const { schema, pool, open, rows } = onOwnSchema();
let backend: Backend;
beforeAll(async () => void (backend = await open()));

const report = (from: Backend, fields: Partial<RunnerReport> = {}) =>
  from.stats.report({
    runner: {
      name: randomUUID(),
      host: 'h',
      pid: 1,
      version: '1',
      queues: [],
      concurrency: 1,
      running: 0,
      tasks: [],
    },
    ...{ aliveMs: 60_000, runs: [], slots: [], ...fields },
  });
const task = (queue: string, id: string, fields: Partial<NewTask> = {}): NewTask => ({
  ...{ queue, id, token: id, job: 'Job', params: '1', priority: 0, due: { inMs: 0 }, retries: 0 },
  ...fields,
});
const putSchedule = (queue: string) =>
  backend.schedules.put(
    { queue, id: 's', job: 'Job', rule: 'r', template: '{}', nextSlot: slot, isDeclared: false },
    'absent',
  );
const claim = (queue: string, by = backend) =>
  by.tasks.claim({ queues: [{ queue, limit: 100 }], limit: 100, leaseMs, runner: 'gone' });

/** Tasks whose runner has died, found by a claim. */
async function lost(queue: string, tasks: readonly NewTask[]): Promise<void> {
  await backend.tasks.add([tasks]);
  await claim(queue);
  await pool.query(endLeasesSql(schema, `queue = '${queue}'`));
}

const slot = 1_700_000_000_000;
const nothing = { succeeded: 0, failed: 0, dead: 0, cancelled: 0, lost: 0, runMs: 0, waitMs: 0 };
const error = 'LeaseLostError: runner gone did not settle before its lease ended';

describe('Runs that a claim finds lost', () => {
  it('are in the figures at once, and once only when reports have added them', async () => {
    const queue = randomUUID();
    const of = { scheduleId: 's', slot };
    await putSchedule(queue);
    await lost(queue, [
      task(queue, 'dies'),
      task(queue, 'runs again', { retries: 1, job: 'Other' }),
      task(queue, 'stopped'),
      task(queue, 'of a slot', of),
    ]);
    await backend.catalog.cancel([{ queue, id: 'stopped' }]);
    await claim(queue);
    const seen = async () => ({
      jobs: (await backend.stats.jobs([queue])).map(({ lastRunAt, lastFailureAt, ...counts }) => ({
        ...counts,
        hasTimes: lastRunAt !== undefined && lastFailureAt !== undefined,
      })),
      throughput: await backend.stats.throughput(queue),
      slots: await backend.stats.slots({ queue, id: 's' }),
    });
    const before = await seen();
    expect(before.jobs).toEqual([
      { ...nothing, queue, job: 'Job', lost: 3, dead: 2, cancelled: 1, lastError: error, hasTimes: true },
      { ...nothing, queue, job: 'Other', lost: 1, lastError: error, hasTimes: true },
    ]);
    const all = { ...nothing, at: expect.any(Number), lost: 4, dead: 2, cancelled: 1 };
    expect(before.throughput).toEqual({ minutes: [all], hours: [all] });
    expect(before.slots).toMatchObject([{ slot, task: 'of a slot', outcome: 'dead' }]);
    // Two processes that report at once add each of them but once.
    const [one, other] = [await open(), await open()];
    await Promise.all(Array.from({ length: 20 }, (_, n) => report(n % 2 ? one : other)));
    expect(await rows(`SELECT FROM "${schema}".lost_runs WHERE queue = $1`, [queue])).toEqual([]);
    expect(await seen()).toEqual(before);
  });

  it('that never began are none', async () => {
    const queue = randomUUID();
    const lock = { key: 'k', phase: 'while_executing', onConflict: 'reject' } as const;
    await backend.tasks.add([[task(queue, 'holder', { lock })], [task(queue, 'meets it', { lock })]]);
    expect((await claim(queue)).tasks.map(({ conflictsWith }) => conflictsWith)).toEqual([
      undefined,
      'holder',
    ]);
    await pool.query(endLeasesSql(schema, `id = 'meets it' AND queue = '${queue}'`));
    await claim(queue);
    expect(await backend.stats.jobs([queue])).toEqual([]);
  });
});

describe('Reports on PostgreSQL', () => {
  it('of the same jobs in another order do not keep each other', async () => {
    const queues = Array.from({ length: 10 }, () => randomUUID());
    const runs = queues.flatMap((queue) =>
      ['A', 'B', 'C'].map((job) => ({ ...nothing, queue, job, succeeded: 1 })),
    );
    const slots = queues.map((queue) => ({ queue, id: 's', slot, task: 't', outcome: 'succeeded' as const }));
    const backends = [await open(), await open(), await open()];
    for (const queue of queues) await putSchedule(queue);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        report(
          backends[n % 3]!,
          n % 2 ? { runs, slots } : { runs: runs.toReversed(), slots: slots.toReversed() },
        ),
      ),
    );
    expect((await backend.stats.jobs(queues)).map(({ succeeded }) => succeeded)).toEqual(
      Array.from({ length: 30 }, () => 30),
    );
  });

  it('of slots and the end of their schedule leave no slot behind, whoever is first', async () => {
    const queue = randomUUID();
    for (let round = 0; round < 20; round++) {
      await putSchedule(queue);
      const slots = [{ queue, id: 's', slot, task: 't', outcome: 'succeeded' as const }];
      await Promise.all([
        report(backend, { slots }),
        backend.schedules.remove({ queue, id: 's' }),
        report(backend, { slots }),
      ]);
      expect(await rows(`SELECT FROM "${schema}".slot_outcomes WHERE queue = $1`, [queue])).toEqual([]);
    }
  });

  it('leave nothing of runners, spans and schedules that are gone', async () => {
    const queue = randomUUID();
    await putSchedule(queue);
    const ended = (id: string) => ({ queue, id, slot, task: 't', outcome: 'succeeded' as const });
    const runs = [{ ...nothing, queue, job: 'Job', succeeded: 1 }];
    await report(backend, { runs, slots: [ended('s'), ended('gone before')], aliveMs: 1 });
    await backend.schedules.remove({ queue, id: 's' });
    expect(await backend.stats.slots({ queue, id: 's' })).toEqual([]);
    const long = 8 * 86_400_000;
    await pool.query(
      `UPDATE "${schema}".throughput SET at = at - ${long}; UPDATE "${schema}".runners SET alive_until = alive_until - ${long}`,
    );
    await report(backend, { runs });
    const left = await rows<{ runners: string; spans: string; slots: string }>(
      `SELECT (SELECT count(*) FROM "${schema}".runners) AS runners,
        (SELECT count(*) FROM "${schema}".throughput WHERE queue = $1) AS spans,
        (SELECT count(*) FROM "${schema}".slot_outcomes WHERE queue = $1) AS slots`,
      [queue],
    );
    expect(left).toEqual([{ runners: '1', spans: '2', slots: '0' }]);
  });
});
