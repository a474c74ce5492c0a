import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Job, type Task } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { dyingProcesses } from './fixtures/dying-process.js';

const start = dyingProcesses();
// Each opens PGlite four times, one after the other.
const withinMs = 120_000;

const ends: (() => unknown)[] = [];
// Applications are closed before.
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A process is killed over a task that an earlier one has left, and the folder is opened again. */
async function killed(mode: 'before-commit' | 'in-commit' | 'after-commit') {
  const home = await mkdtemp(join(tmpdir(), 'nestjs-jobs-pglite-'));
  ends.push(() => rm(home, { recursive: true, force: true }));
  const folder = join(home, 'data');
  const made = await PGlite.create(folder);
  await made.exec('CREATE SCHEMA jobs; CREATE TABLE jobs.notes (note text)');
  await made.close();
  expect(await start(`pglite:${folder}`, 'jobs', 'enqueue').ended).toBe('SIGKILL');
  const worker = start(`pglite:${folder}`, 'jobs', mode);
  // What it would say after it began is that it came further than its death.
  expect([await worker.ended, worker.said.text.replace('ready\n', '')]).toEqual(['SIGKILL', 'began\n']);
  const pglite = await PGlite.create(folder);
  ends.push(() => pglite.close());
  return { pglite, ...(await reopened(pglite)) };
}

async function reopened(pglite: PGlite) {
  const attempts: [note: string, attempt: number][] = [];
  const write = 'INSERT INTO jobs.notes VALUES ($1)';
  @Job({ queue: 'acting', name: 'Acting', retries: 5 })
  class Acting {
    async run(note: string, task: Task) {
      attempts.push([note, task.attempt]);
      await task.transaction((tx) => (tx as Transaction).query(write, [`${note} ${task.attempt}`]));
    }
  }
  const notes = async () =>
    (await pglite.query<{ note: string }>('SELECT note FROM jobs.notes ORDER BY note')).rows.map(
      ({ note }) => note,
    );
  const left = await notes();
  const backend = postgresBackend({ pglite });
  const { jobs, catalog } = await startApp({ providers: [Acting], options: { backend }, realTime: true });
  const isEmpty = () =>
    eventually(async () => {
      const { scheduled, waiting, pending } = await catalog.counts();
      return scheduled + waiting + pending === 0;
    });
  return { Acting, attempts, jobs, left, notes, isEmpty };
}

describe('A process with PGlite in it that is killed over its task.transaction', () => {
  it.each([
    ['between the commit and its answer', 'in-commit'],
    ['right after the answer', 'after-commit'],
  ] as const)(
    '%s has done the task, once',
    async (_, mode) => {
      const { Acting, attempts, jobs, left, notes, isEmpty } = await killed(mode);
      expect(left).toEqual(['a 1']);
      await jobs.enqueue(Acting, 'last');
      await isEmpty();
      expect([attempts, await notes()]).toEqual([[['last', 1]], ['a 1', 'last 1']]);
    },
    withinMs,
  );

  it(
    'before the commit leaves nothing of it: the next process runs the task',
    async () => {
      const { attempts, left, notes, isEmpty } = await killed('before-commit');
      expect(left).toEqual([]);
      await isEmpty();
      expect([attempts, await notes()]).toEqual([[['a', 2]], ['a 2']]);
    },
    withinMs,
  );
});
