import { PGlite, type Transaction } from '@electric-sql/pglite';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Job, LeaseLostError, type Task } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { endLeasesSql } from '../support/postgres-time.js';
import { gate } from './fixtures/gate.js';

const ends: (() => unknown)[] = [];
// Applications are closed before.
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function opened() {
  const pglite = await PGlite.create();
  ends.push(() => pglite.close());
  await pglite.exec('CREATE TABLE notes (note text)');
  const all = async <R>(sql: string) => (await pglite.query<R>(sql)).rows;
  return {
    pglite,
    notes: async () =>
      (await all<{ note: string }>('SELECT note FROM notes ORDER BY note')).map(({ note }) => note),
    stored: async () => (await all('SELECT 1 FROM jobs.tasks')).length,
  };
}

const write = (tx: unknown, note: string) =>
  (tx as Transaction).query('INSERT INTO notes VALUES ($1)', [note]);

/** Two applications of one process on its database: the second takes over what the first runs. */
async function twoRunners(act: (task: Task) => Promise<unknown>) {
  const stage = await opened();
  const runs: [by: string, attempt: number][] = [];
  const startOne = async (by: string, pollInterval: '10m' | '50ms') => {
    @Job({ queue: 'acting', name: 'Acting', retries: 5 })
    class Acting {
      async run(_: string, task: Task) {
        runs.push([by, task.attempt]);
        await act(task);
      }
    }
    const backend = postgresBackend({ pglite: stage.pglite });
    const options = { backend, runner: { pollInterval, concurrency: 1 } };
    return { ...(await startApp({ providers: [Acting], options, realTime: true })), Acting };
  };
  const first = await startOne('first', '10m');
  await first.jobs.enqueue(first.Acting, 'a');
  await eventually(() => runs.length === 1);
  await startOne('second', '50ms');
  await stage.pglite.exec(endLeasesSql('jobs'));
  await eventually(() => runs.length === 2);
  return { ...stage, runs };
}

describe('Two runners on one attempt, on one PGlite', () => {
  it.each([
    ['the one that has lost it', [1, 2]],
    ['the one that has it', [2, 1]],
  ] as const)(
    'both finish in task.transaction, %s first: one commits, of the other nothing stands',
    async (_, order) => {
      const ways = [gate(), gate()];
      const written: number[] = [];
      const ended: [attempt: number, end: unknown][] = [];
      const { notes, stored, runs } = await twoRunners(async (task) => {
        const { attempt } = task;
        await ways[attempt - 1]!.opened;
        await task
          .transaction(async (tx) => {
            await write(tx, `a ${attempt}`);
            written.push(attempt);
          })
          .then(
            () => ended.push([attempt, 'committed']),
            (error) => ended.push([attempt, error]),
          );
      });
      for (const [at, attempt] of order.entries()) {
        ways[attempt - 1]!.open();
        await eventually(() => ended.length === at + 1);
      }
      expect(Object.fromEntries(ended)).toEqual({ 1: expect.any(LeaseLostError), 2: 'committed' });
      // The other came as far as its commit.
      expect([written, await notes(), await stored()]).toEqual([[...order], ['a 2'], 0]);
      expect(runs).toEqual([
        ['first', 1],
        ['second', 2],
      ]);
    },
  );
});

describe('A commit on PGlite whose answer is an error', () => {
  it.each([0, '1h'] as const)('has done the task, once, with keep %s; the runner goes on', async (keep) => {
    const stage = await opened();
    const attempts: number[] = [];
    const told: boolean[] = [];
    let isFailing = false;
    @Job({ queue: 'acting', name: 'Acting', retries: 5, backoff: '20ms' })
    class Acting {
      run(note: string, task: Task) {
        attempts.push(task.attempt);
        return task.transaction(async (tx) => {
          await write(tx, note);
          isFailing = note === 'lost';
        });
      }
      afterRun(success: boolean) {
        told.push(success);
      }
    }
    // Done, and then the file system is in the way.
    const { pglite } = stage;
    const carryOut = pglite.execProtocolStream.bind(pglite);
    pglite.execProtocolStream = async (message, ...more) => {
      const answer = await carryOut(message, ...more);
      if (!isFailing || !Buffer.from(message).includes('COMMIT')) return answer;
      isFailing = false;
      throw new Error('no space left on device');
    };
    const backend = postgresBackend({ pglite });
    const { jobs, catalog, runner } = await startApp({
      providers: [Acting],
      options: { backend },
      realTime: true,
    });
    const { id } = await jobs.enqueue(Acting, 'lost', { keep });
    await eventually(() => told.length === 1);
    await jobs.enqueue(Acting, 'after');
    await eventually(() => told.length === 2);
    await runner.stop();
    expect([attempts, await stage.notes()]).toEqual([
      [1, 1],
      ['after', 'lost'],
    ]);
    expect(await stage.stored()).toBe(keep === 0 ? 0 : 1);
    if (keep !== 0)
      expect(await catalog.task({ queue: 'acting', id })).toMatchObject({ state: 'succeeded', failures: 0 });
  });
});

describe('A task.transaction that hangs, on PGlite', () => {
  it('leaves the only connection to others when the time of its run is over', async () => {
    const { pglite, notes } = await opened();
    const failures: unknown[] = [];
    @Job({ queue: 'acting', name: 'Acting', retries: 0 })
    class Acting {
      async run(note: string, task: Task) {
        await task
          .transaction(async (tx) => {
            await write(tx, note);
            if (note === 'hangs') await new Promise(() => undefined);
          })
          .catch((error: unknown) => failures.push(error));
      }
    }
    const app = await startApp({
      providers: [Acting],
      options: { backend: postgresBackend({ pglite }), runner: { concurrency: 2 } },
      realTime: true,
    });
    await app.jobs.enqueue(Acting, 'hangs', { timeout: '300ms' });
    await app.jobs.enqueue(Acting, 'goes');
    await eventually(async () => (await notes()).length > 0);
    expect(await notes()).toEqual(['goes']);
    expect(failures).toEqual([expect.any(LeaseLostError)]);
  });

  it('does not begin where the time of its run was over before its turn came', async () => {
    const { pglite } = await opened();
    const begun: string[] = [];
    const ended: unknown[] = [];
    const bothRun = gate();
    @Job({ queue: 'acting', name: 'Acting', retries: 0 })
    class Acting {
      async run(note: string, task: Task) {
        if (note === 'late') bothRun.open();
        await bothRun.opened;
        const end = await task
          .transaction(async () => {
            begun.push(note);
            // The other waits for its turn until its time is over.
            await new Promise((resolve) => setTimeout(resolve, 1_500));
          })
          .catch((error: unknown) => error);
        if (note === 'late') ended.push(end);
      }
    }
    const app = await startApp({
      providers: [Acting],
      options: { backend: postgresBackend({ pglite }), runner: { concurrency: 2 } },
      realTime: true,
    });
    await app.jobs.enqueue(Acting, 'first');
    await app.jobs.enqueue(Acting, 'late', { timeout: '500ms' });
    await eventually(() => ended.length > 0);
    expect([begun, ended]).toEqual([['first'], [expect.any(LeaseLostError)]]);
  });

  it('is not given up because its own lease cannot be renewed beside it', async () => {
    const { pglite, notes } = await opened();
    let isAborted = false;
    @Job({ queue: 'acting', name: 'Acting', retries: 0 })
    class Acting {
      async run(note: string, task: Task) {
        task.signal.addEventListener('abort', () => (isAborted = true));
        await task.transaction(async (tx) => {
          await write(tx, note);
          await eventually(() => isAborted);
        });
      }
    }
    const app = await startApp({
      providers: [Acting],
      options: { backend: postgresBackend({ pglite }), runner: { concurrency: 1, lease: '1s' } },
      realTime: true,
    });
    await app.jobs.enqueue(Acting, 'long');
    await eventually(async () => (await notes()).length > 0);
    expect(await notes()).toEqual(['long']);
  });
});
