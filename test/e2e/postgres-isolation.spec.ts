import { describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { Job, LeaseLostError, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { beside, postgresUrl, startOnPostgres } from './fixtures/postgres-stage.js';

const above = ['repeatable read', 'serializable'] as const;
const levels = ['read committed', ...above] as const;

/** An application whose every session has this isolation by default, and leases that are short, but last on a busy machine. */
async function started(level: (typeof levels)[number], run: (task: Task, stage: Stage) => unknown) {
  const attempts: number[] = [];
  const reasons: unknown[] = [];
  const stage = {} as Stage;
  @Job({ queue: 'work', retries: 2, backoff: '10ms' })
  class Work {
    async run(_: unknown, task: Task) {
      attempts.push(task.attempt);
      task.signal.addEventListener('abort', () => reasons.push(task.signal.reason));
      return run(task, stage);
    }
  }
  const backend = new URL(postgresUrl);
  backend.searchParams.set('options', `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`);
  const app = await startOnPostgres({
    providers: [Work],
    options: { backend: backend.href, runner: { lease: '3s', pollInterval: '100ms' } },
  });
  Object.assign(stage, {
    write: (client: unknown, note: string) => (client as PoolClient).query(app.noteSql, [note]),
    async renewal(id: string) {
      const lease = `SELECT lease_ends_at AS ends_at FROM "${app.schema}".tasks WHERE id = $1`;
      const endsAt = async () => (await beside().query<{ ends_at: string }>(lease, [id])).rows[0]!.ends_at;
      const before = await endsAt();
      await eventually(async () => (await endsAt()) !== before);
    },
  });
  return { ...app, Work, attempts, reasons };
}

interface Stage {
  write(client: unknown, note: string): Promise<unknown>;
  /** The lease of a task is renewed. */
  renewal(id: string): Promise<void>;
}

const sleep = (client: unknown, seconds: number) =>
  (client as PoolClient).query('SELECT pg_sleep($1)', [seconds]);

describe('task.transaction', () => {
  it.each(levels)('commits at %s though it takes longer than its lease', async (level) => {
    const app = await started(level, async (task, { write }) => {
      task.log('before');
      return task.transaction(async (tx) => {
        await write(tx, `${task.attempt}`);
        task.progress(50);
        await sleep(tx, 4.5);
        task.log('within');
        return 'made';
      });
    });
    const kept = await app.jobs.enqueue(app.Work, undefined, { keep: '1h' });
    expect(await app.jobs.result(kept)).toBe('made');
    expect(await app.notes()).toEqual(['1']);
    expect([app.attempts, app.reasons]).toEqual([[1], []]);
    const record = await app.catalog.task(kept);
    expect(record).toMatchObject({ state: 'succeeded', result: 'made', progress: { percent: 50 } });
    expect(record?.lines?.map(({ message }) => message)).toEqual(['before', 'within']);
    await app.jobs.enqueue(app.Work);
    await eventually(async () => (await app.stored()) === 1);
  });

  it.each(levels)(
    'leaves nothing at %s of an attempt that throws after its lease would have ended',
    async (level) => {
      const app = await started(level, (task, { write }) =>
        task.transaction(async (tx) => {
          await write(tx, `${task.attempt}`);
          if (task.attempt > 1) return;
          await sleep(tx, 4.5);
          throw new Error('boom');
        }),
      );
      await app.jobs.enqueue(app.Work);
      await app.isEmpty();
      expect(await app.notes()).toEqual(['2']);
      expect([app.attempts, app.reasons]).toEqual([[1, 2], []]);
    },
  );

  it.each(above)('is told at %s that the lease is lost, where another has the task', async (level) => {
    const ends: unknown[] = [];
    const app = await started(level, async (task, { write }) => {
      if (task.attempt > 1) return;
      await beside().query(`UPDATE "${app.schema}".tasks SET epoch = epoch + 1 WHERE id = $1`, [task.id]);
      ends.push(await task.transaction((tx) => write(tx, 'lost')).catch((error: unknown) => error));
    });
    await app.jobs.enqueue(app.Work);
    await eventually(() => ends.length > 0);
    expect(ends).toEqual([expect.any(LeaseLostError)]);
    expect(await app.notes()).toEqual([]);
  });

  it('lets its function choose another isolation', async () => {
    const app = await started('read committed', (task, { write }) =>
      task.transaction(async (tx) => {
        await (tx as PoolClient).query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
        await write(tx, 'chosen');
      }),
    );
    await app.jobs.enqueue(app.Work);
    await app.isEmpty();
    expect(await app.notes()).toEqual(['chosen']);
  });
});

describe('task.complete', () => {
  it.each(above)('at %s is done first: later it may fail, and says so', async (level) => {
    const failures: unknown[] = [];
    const app = await started('read committed', async (task, { write, renewal }) => {
      const client = await beside().connect();
      try {
        await client.query(`BEGIN ISOLATION LEVEL ${level}`);
        if (task.attempt > 1) await task.complete(client);
        await write(client, `${task.attempt}`);
        if (task.attempt > 1) await sleep(client, 4.5);
        else await renewal(task.id);
        if (task.attempt === 1) await task.complete(client);
        await client.query('COMMIT');
      } catch (error) {
        failures.push(error);
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    });
    await app.jobs.enqueue(app.Work);
    await app.isEmpty();
    expect(await app.notes()).toEqual(['2']);
    expect([app.attempts, app.reasons]).toEqual([[1, 2], []]);
    const message = expect.stringContaining(`At ${level.toUpperCase()} complete it first of all`);
    expect(failures).toEqual([expect.objectContaining({ code: '40001', message })]);
  });
});
