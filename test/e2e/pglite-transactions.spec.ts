import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { Job, WouldWaitForItselfError, type JobQueue, type Task } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { dyingProcesses } from './fixtures/dying-process.js';
import { gate } from './fixtures/gate.js';

const start = dyingProcesses();

const ends: (() => unknown)[] = [];
// Applications are closed before.
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nestjs-jobs-pglite-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

/** An application on a database that the test has opened; `act` is what its job does. */
async function started(act: (note: string, task: Task, stage: Stage) => unknown) {
  const runs: string[] = [];
  const stage = {} as { -readonly [K in keyof Stage]: Stage[K] };
  @Job({ queue: 'acting', name: 'Acting', retries: 5, backoff: '20ms' })
  class Acting {
    async run(note: string, task: Task) {
      runs.push(note);
      await act(note, task, stage);
    }
  }
  const pglite = await PGlite.create();
  ends.push(() => pglite.close());
  await pglite.exec('CREATE TABLE notes (note text)');
  const backend = postgresBackend({ pglite });
  const app = await startApp({
    providers: [Acting],
    options: { backend, runner: { pollInterval: '10m' } },
    realTime: true,
  });
  stage.jobs = app.jobs;
  stage.Acting = Acting;
  const notes = async () =>
    (await pglite.query<{ note: string }>('SELECT note FROM notes ORDER BY note')).rows.map(
      ({ note }) => note,
    );
  const stored = async () =>
    (await pglite.query<{ n: number }>('SELECT count(*)::int AS n FROM jobs.tasks')).rows[0]!.n;
  const isEmpty = () => eventually(async () => (await stored()) === 0);
  return { ...app, Acting, runs, pglite, notes, stored, isEmpty };
}

interface Stage {
  readonly jobs: JobQueue;
  readonly Acting: new () => { run(note: string, task: Task): Promise<void> };
}

const write = (tx: unknown, note: string) =>
  (tx as Transaction).query('INSERT INTO notes VALUES ($1)', [note]);

describe('task.transaction on PGlite', () => {
  it('refuses to wait for a result, which could come only after its own end', async () => {
    const refused: unknown[] = [];
    const app = await started((_, task, { jobs }) =>
      task.transaction(() => jobs.result('another').catch((error: unknown) => refused.push(error))),
    );
    await app.jobs.enqueue(app.Acting, 'waits');
    await app.isEmpty();
    expect(refused).toEqual([expect.any(WouldWaitForItselfError)]);
  });

  it('refuses at once what would wait for its own end: enqueue, bulk, schedules', async () => {
    const refused: unknown[] = [];
    const app = await started((note, task, { jobs, Acting }) =>
      task.transaction(async (tx) => {
        await write(tx, note);
        const calls = [
          () => jobs.enqueue(Acting, 'b'),
          () => jobs.bulk((bulk) => bulk.enqueue(Acting, 'c')),
          () => jobs.enqueue(Acting, 'd', { every: '1h' }),
        ];
        for (const call of calls) await call().catch((error: unknown) => refused.push(error));
      }),
    );
    await app.jobs.enqueue(app.Acting, 'a');
    await app.isEmpty();
    expect(refused).toEqual(Array(3).fill(expect.any(WouldWaitForItselfError)));
    expect((refused[0] as Error).message).toContain('{ transaction }');
    expect([app.runs, await app.notes()]).toEqual([['a'], ['a']]);
    expect((await app.catalog.schedules({ queue: 'acting' })).schedules).toEqual([]);
  });

  it('carries what is enqueued with it, which runs after the commit', async () => {
    const app = await started((note, task, { jobs, Acting }) =>
      task.transaction(async (tx) => {
        await write(tx, `${note} ${task.attempt}`);
        if (note !== 'first') return;
        await jobs.enqueue(Acting, `next of ${task.attempt}`, { transaction: tx });
        await jobs.bulk((bulk) => bulk.enqueue(Acting, `bulk of ${task.attempt}`), { transaction: tx });
        expect(app.runs).not.toContain(`next of ${task.attempt}`);
        if (task.attempt === 1) throw new Error('boom');
      }),
    );
    await app.jobs.enqueue(app.Acting, 'first');
    await eventually(async () => (await app.notes()).length === 3);
    await app.isEmpty();
    expect(await app.notes()).toEqual(['bulk of 2 1', 'first 2', 'next of 2 1']);
    expect(app.runs).toHaveLength(4);
  });

  it('is over for what was begun inside and goes on beyond it', async () => {
    const over = gate();
    const answers: Promise<unknown>[] = [];
    const app = await started(async (note, task, { jobs, Acting }) => {
      if (note !== 'first') return;
      await task.transaction(async (tx) => {
        await write(tx, note);
        answers.push(over.opened.then(() => jobs.enqueue(Acting, 'beyond')));
      });
      over.open();
    });
    await app.jobs.enqueue(app.Acting, 'first');
    await eventually(() => app.runs.includes('beyond'));
    expect(await Promise.all(answers)).toMatchObject([{ status: 'enqueued' }]);
    await app.isEmpty();
  });

  it('completes with a transaction of the application as well', async () => {
    const app = await started((note, task) =>
      app.pglite.transaction(async (tx) => {
        await write(tx, `${note} ${task.attempt}`);
        await task.complete(tx);
        if (task.attempt === 1) throw new Error('boom');
      }),
    );
    await app.jobs.enqueue(app.Acting, 'a');
    await app.isEmpty();
    expect([app.runs, await app.notes()]).toEqual([['a', 'a'], ['a 2']]);
  });

  it('takes an enqueue with a transaction of the application: rolled back, no task', async () => {
    const app = await started(() => undefined);
    const rolledBack = app.pglite.transaction(async (transaction) => {
      await app.jobs.enqueue(app.Acting, 'a', { transaction });
      throw new Error('boom');
    });
    await expect(rolledBack).rejects.toThrow('boom');
    await app.pglite.transaction(async (transaction) => {
      await app.jobs.enqueue(app.Acting, 'b', { transaction });
      expect(app.runs).toEqual([]);
    });
    await eventually(() => app.runs.length > 0);
    await app.isEmpty();
    expect(app.runs).toEqual(['b']);
  });
});

describe('A folder of PGlite', () => {
  it('has the task of a process that was killed right after its enqueue had resolved', async () => {
    const folder = await newFolder();
    const killed = start(`pglite:${folder}`, 'jobs', 'enqueue');
    expect([await killed.ended, killed.said.text]).toEqual(['SIGKILL', '']);
    const attempts = await reopen(folder);
    await eventually(() => attempts.length === 1);
    expect(attempts).toEqual([['a', 1]]);
  });

  it('has no lease of a process that is gone: its task runs at once', async () => {
    const folder = await newFolder();
    const killed = start(`pglite:${folder}`, 'jobs', 'run');
    await eventually(() => killed.said.text.includes('began'));
    killed.kill();
    await killed.ended;
    // The lease that is left is of ten minutes.
    const attempts = await reopen(folder);
    await eventually(() => attempts.length === 1);
    expect(attempts).toEqual([['a', 2]]);
  });
});

async function reopen(folder: string): Promise<[note: string, attempt: number][]> {
  const attempts: [string, number][] = [];
  @Job({ queue: 'acting', name: 'Acting', retries: 5 })
  class Acting {
    run(note: string, task: Task) {
      attempts.push([note, task.attempt]);
    }
  }
  await startApp({ providers: [Acting], options: { backend: `pglite:${folder}` }, realTime: true });
  return attempts;
}
