import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { EnqueueFailedError, Job } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { openTransaction, startOnPostgres } from './fixtures/postgres-stage.js';

interface Params {
  readonly name: string;
  readonly key?: string;
}

/** An application whose transaction holds the id `x` and the lock of the key `k`. */
async function held(enqueueTimeout: '5s' | '20s' | '700ms' = '20s') {
  const runs: string[] = [];
  const held = gate();
  @Job()
  class Plain {
    async run({ name }: Params) {
      runs.push(name);
      if (name === 'long') await held.opened;
    }
  }
  @Job({ unique: { lock: 'until_executed', by: ['key'] } })
  class Unique {
    run({ name }: Params) {
      runs.push(name);
    }
  }
  const app = await startOnPostgres({ providers: [Plain, Unique], options: { enqueueTimeout } });
  const { jobs } = app;
  const transaction = await openTransaction();
  const id = await jobs.enqueue(Plain, { name: 'x' }, { id: 'x', transaction });
  const key = await jobs.enqueue(Unique, { name: 'k', key: 'k' }, { transaction });
  expect([id.status, key.status]).toEqual(['enqueued', 'enqueued']);
  const again = {
    id: () => jobs.enqueue(Plain, { name: 'x again' }, { id: 'x' }),
    key: () => jobs.enqueue(Unique, { name: 'k again', key: 'k' }),
  };
  return { ...app, Plain, Unique, runs, transaction, again, holder: key.id, release: held.open };
}

describe('An open transaction that has enqueued an id and a lock', () => {
  it('keeps nobody waiting but those who want the same, however many these are', async () => {
    const { jobs, Plain, Unique, runs, runner, transaction, again, release, isEmpty, stored } = await held();
    await jobs.enqueue(Plain, { name: 'long' });
    await eventually(() => runs.includes('long'));
    const waiting: Promise<{ status: string }>[] = [];
    let answered = 0;
    const askAgain = () =>
      waiting.push(...[again.id(), again.key()].map((one) => one.finally(() => answered++)));
    for (let n = 0; n < 25; n++) {
      askAgain();
      // Some in one moment, some each in its own.
      if (n % 2) await sleep(5);
    }
    for (let round = 0; round < 10; round++) {
      askAgain();
      const others = await Promise.all([
        jobs.enqueue(Plain, { name: `plain ${round}` }),
        jobs.enqueue(Plain, { name: `id ${round}` }, { id: `id ${round}` }),
        jobs.enqueue(Unique, { name: `key ${round}`, key: `key ${round}` }),
        jobs.bulk((bulk) => bulk.enqueue(Plain, { name: `bulk ${round}` })),
      ]);
      expect(others.flat().map(({ status }) => status)).toEqual(Array(4).fill('enqueued'));
      await eventually(() => runs.filter((name) => name.endsWith(` ${round}`)).length === 4);
    }
    // What runs is settled meanwhile.
    release();
    await isEmpty();
    expect(answered).toBe(0);
    expect(runs).not.toContain('x');
    await runner.stop();
    await transaction.query('COMMIT');
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['existing', 'rejected']));
    expect(await stored()).toBe(2);
  });

  it('lets those go on at its commit: the task exists', async () => {
    const { transaction, again, runs, runner, holder } = await held();
    await runner.stop();
    const waiting = Promise.all([again.id(), again.key()]);
    await sleep(1_000);
    await transaction.query('COMMIT');
    const [id, key] = await waiting;
    expect(id).toMatchObject({ id: 'x', status: 'existing' });
    expect(key).toMatchObject({ status: 'rejected', holder });
    expect(runs).toEqual([]);
  });

  it('lets those go on at its rollback: theirs is the task', async () => {
    const { transaction, again, runs } = await held();
    const waiting = Promise.all([again.id(), again.key()]);
    await sleep(1_000);
    await transaction.query('ROLLBACK');
    expect((await waiting).map(({ status }) => status)).toEqual(['enqueued', 'enqueued']);
    await eventually(() => runs.length === 2);
    expect(runs.sort()).toEqual(['k again', 'x again']);
  });

  it('refuses those at the end of their patience, and says why; nothing of theirs is stored later', async () => {
    const { transaction, again, stored, runs } = await held('700ms');
    const refused = await Promise.all([again.id(), again.key()].map((one) => one.catch((error) => error)));
    for (const error of refused) {
      expect(error).toBeInstanceOf(EnqueueFailedError);
      expect(error.sent).toBe(false);
      expect(error.message).toContain('another transaction has the task, its id or its lock in hand');
    }
    await transaction.query('ROLLBACK');
    expect(await stored()).toBe(0);
    expect(runs).toEqual([]);
  });
});
