import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  BulkError,
  InvalidOptionError,
  Job,
  LockConflictError,
  TransactionNotSupportedError,
  UnsupportedTransactionError,
} from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { beside, openTransaction, startOnPostgres } from './fixtures/postgres-stage.js';

const runs: string[] = [];

@Job({ queue: 'noting', retries: 0 })
class Noting {
  run(name: string) {
    runs.push(name);
  }
}

@Job({ queue: 'rejecting', unique: { lock: 'until_completed', onConflict: 'reject' } })
class Rejecting {
  run() {}
}

@Job({ queue: 'raising', unique: { lock: 'until_completed', onConflict: 'raise' } })
class Raising {
  run() {}
}

@Job({ queue: 'hooked' })
class Hooked {
  static readonly told: string[] = [];
  run() {}
  beforeEnqueue() {
    Hooked.told.push('before');
  }
  afterEnqueue(success: boolean) {
    Hooked.told.push(`after ${success}`);
  }
}

const providers = [Noting, Rejecting, Raising, Hooked];

/** Nothing runs: what is stored stays. */
const still = () => startOnPostgres({ providers, options: { runner: { autoStart: false } } });

describe('enqueue with a transaction', () => {
  it('is no subtransaction, of which a server bears few: neither for a plain task nor for one with an id or a lock', async () => {
    const { jobs, schema } = await still();
    const transaction = await openTransaction();
    const added = [
      await jobs.enqueue(Noting, 'plain', { transaction }),
      await jobs.enqueue(Noting, 'named', { id: 'named', transaction }),
      await jobs.enqueue(Rejecting, undefined, { transaction }),
      await jobs.enqueue(Noting, 'again', { id: 'named', transaction }),
      ...(await jobs.bulk((bulk) => bulk.enqueue(Noting, 'bulk'), { transaction })),
    ];
    expect(added.map(({ status }) => status)).toEqual([
      'enqueued',
      'enqueued',
      'enqueued',
      'existing',
      'enqueued',
    ]);
    const { rows } = await transaction.query(
      `SELECT count(*)::int AS tasks, bool_and(xmin::text = (pg_current_xact_id()::text::bigint % (1::bigint << 32))::text) AS are_own
       FROM "${schema}".tasks`,
    );
    expect(rows).toEqual([{ tasks: 4, are_own: true }]);
  });

  it.each(['memory:', process.env.TEST_REDIS_URL!])(
    'is refused by the backend %s, which stores nothing',
    async (backend) => {
      const options = { backend, prefix: `t${randomUUID()}`, runner: { autoStart: false } };
      const { jobs, catalog } = await startApp({ providers, options, realTime: true });
      const transaction = await openTransaction();
      const refused = [
        jobs.enqueue(Noting, 'a', { transaction }),
        jobs.enqueue(Hooked, undefined, { transaction }),
        jobs.bulk((bulk) => bulk.enqueue(Noting, 'b'), { transaction }),
        jobs.enqueue(Noting, 'c', { transaction: null }),
      ];
      for (const one of refused) await expect(one).rejects.toThrow(TransactionNotSupportedError);
      expect((await catalog.counts('noting')).waiting + (await catalog.counts('hooked')).waiting).toBe(0);
    },
  );

  it('is refused where that is no transaction, and nothing is stored', async () => {
    const { jobs, stored } = await still();
    const ended = await openTransaction();
    await ended.query('COMMIT');
    for (const transaction of [{}, null, 'BEGIN', 1, beside(), ended, openTransaction(), () => undefined]) {
      await expect(jobs.enqueue(Noting, 'a', { transaction })).rejects.toThrow(UnsupportedTransactionError);
      const bulk = jobs.bulk((some) => some.enqueue(Noting, 'a'), { transaction });
      await expect(bulk).rejects.toThrow(UnsupportedTransactionError);
    }
    expect(await stored()).toBe(0);
  });

  it('is refused for schedules, and for one entry of a bulk', async () => {
    const { jobs, catalog, stored } = await still();
    const transaction = await openTransaction();
    const every = jobs.enqueue(Noting, 'a', { every: '1h', transaction });
    await expect(every).rejects.toThrow(InvalidOptionError);
    const cron = jobs.enqueue(Noting, 'a', { cron: '0 8 * * *', transaction });
    await expect(cron).rejects.toThrow('a schedule is put by itself');
    const bulk = jobs.bulk((some) => {
      some.enqueue(Noting, 'a');
      some.enqueue(Noting, 'b', { transaction });
    });
    await expect(bulk).rejects.toThrow(BulkError);
    await transaction.query('COMMIT');
    expect(await stored()).toBe(0);
    expect((await catalog.schedules({ queue: 'noting' })).schedules).toEqual([]);
  });

  it('answers what it found by id and lock, and leaves the transaction usable', async () => {
    const { jobs, stored, notes, noteSql } = await still();
    const holders = {
      id: await jobs.enqueue(Noting, 'first', { id: 'x' }),
      reject: await jobs.enqueue(Rejecting),
      raise: await jobs.enqueue(Raising),
    };
    const transaction = await openTransaction();
    await transaction.query(noteSql, ['before']);
    expect(await jobs.enqueue(Noting, 'second', { id: 'x', transaction })).toMatchObject({
      status: 'existing',
    });
    expect(await jobs.enqueue(Rejecting, undefined, { transaction })).toMatchObject({
      status: 'rejected',
      holder: holders.reject.id,
    });
    const raised = await jobs.enqueue(Raising, undefined, { transaction }).catch((error: unknown) => error);
    expect(raised).toBeInstanceOf(LockConflictError);
    expect(raised).toMatchObject({ holder: holders.raise.id });
    // A bulk stands or falls as a whole.
    const bulk = jobs.bulk(
      (some) => {
        some.enqueue(Noting, 'of a bulk');
        some.enqueue(Raising);
      },
      { transaction },
    );
    await expect(bulk).rejects.toThrow(LockConflictError);
    expect(await jobs.enqueue(Noting, 'third', { id: 'x', replace: true, transaction })).toMatchObject({
      status: 'replaced',
    });
    expect((await jobs.enqueue(Noting, 'fourth', { transaction })).status).toBe('enqueued');
    await transaction.query(noteSql, ['after']);
    await transaction.query('COMMIT');
    expect(await notes()).toEqual(['after', 'before']);
    expect(await stored()).toBe(4);
  });

  it('finds the ids and locks of its own transaction', async () => {
    const { jobs, stored } = await still();
    const transaction = await openTransaction();
    const [first, ...others] = [
      await jobs.enqueue(Noting, 'a', { id: 'x', transaction }),
      await jobs.enqueue(Noting, 'b', { id: 'x', transaction }),
      await jobs.enqueue(Rejecting, undefined, { transaction }),
      await jobs.enqueue(Rejecting, undefined, { transaction }),
    ].map(({ status }) => status);
    expect([first, ...others]).toEqual(['enqueued', 'existing', 'enqueued', 'rejected']);
    await transaction.query('COMMIT');
    expect(await stored()).toBe(2);
  });

  it.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])(
    'makes one task of an id, under 20 transactions of it at once, %s',
    async (level) => {
      const { jobs, stored, notes, noteSql } = await still();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const transaction = await openTransaction();
          await transaction.query(`SET TRANSACTION ISOLATION LEVEL ${level}`);
          try {
            const { status } = await jobs.enqueue(Noting, 'a', { id: 'x', transaction });
            await transaction.query(noteSql, [`${status} ${n}`]);
            await transaction.query('COMMIT');
            return status;
          } catch {
            await transaction.query('ROLLBACK');
            return 'failed';
          }
        }),
      );
      expect(answers.filter((answer) => answer === 'enqueued')).toHaveLength(1);
      // With a snapshot that the other's task is not in, only a new transaction can tell.
      if (level === 'READ COMMITTED') expect(answers).not.toContain('failed');
      expect(await stored()).toBe(1);
      expect(await notes()).toHaveLength(answers.filter((answer) => answer !== 'failed').length);
    },
  );

  it('tells the hooks, whatever becomes of the transaction', async () => {
    const { jobs, stored } = await still();
    const transaction = await openTransaction();
    Hooked.told.splice(0);
    await jobs.enqueue(Hooked, undefined, { transaction });
    await transaction.query('ROLLBACK');
    expect(Hooked.told).toEqual(['before', 'after true']);
    expect(await stored()).toBe(0);
  });

  it('fails with the reason where the transaction is broken, and stores nothing', async () => {
    const { jobs, stored } = await still();
    const transaction = await openTransaction();
    await transaction.query('SELECT 1 / 0').catch(() => undefined);
    await expect(jobs.enqueue(Noting, 'a', { transaction })).rejects.toThrow(
      'current transaction is aborted',
    );
    await transaction.query('ROLLBACK');
    expect(await stored()).toBe(0);
  });

  it('runs nothing before the commit, and all at once after it, in every process', async () => {
    runs.splice(0);
    const web = await startOnPostgres({ providers, options: { runner: false } });
    const worker = await startOnPostgres({ providers, options: { prefix: web.schema } });
    const transaction = await openTransaction();
    await web.jobs.enqueue(Noting, 'joined', { transaction });
    await web.jobs.enqueue(Noting, 'later', { in: '300ms', transaction });
    await web.jobs.enqueue(Noting, 'plain');
    await eventually(() => runs.length > 0);
    expect(runs).toEqual(['plain']);
    await transaction.query('COMMIT');
    await eventually(() => runs.length === 3);
    expect(runs).toEqual(['plain', 'joined', 'later']);
    await worker.isEmpty();
  });
});
