import { describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { Job, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { dyingProcesses } from './fixtures/dying-process.js';
import { newSchema, postgresUrl, startOnPostgres } from './fixtures/postgres-stage.js';

const start = dyingProcesses();

/** A process dies over a task; another is there to take it over. */
async function dying(mode: 'before-commit' | 'after-commit') {
  const attempts: number[] = [];
  @Job({ queue: 'acting', name: 'Acting', retries: 5 })
  class Acting {
    async run(note: string, task: Task) {
      attempts.push(task.attempt);
      if (note === 'last') return;
      await task.transaction((tx) => (tx as PoolClient).query(app.noteSql, [`${note} ${task.attempt}`]));
    }
  }
  const prefix = await newSchema();
  const runner = { pollInterval: '100ms', autoStart: false } as const;
  const app = await startOnPostgres({ providers: [Acting], options: { prefix, runner } });
  const { id } = await app.jobs.enqueue(Acting, 'a');
  const worker = start(postgresUrl, prefix, mode);
  expect([await worker.ended, worker.said.text.includes('began')]).toEqual(['SIGKILL', true]);
  return { ...app, Acting, attempts, id };
}

describe('A worker process that is killed', () => {
  it('right after the commit of its task.transaction has done the task, once', async () => {
    const { stored, notes, runner, jobs, Acting, attempts, isEmpty } = await dying('after-commit');
    expect([await stored(), await notes()]).toEqual([0, ['a 1']]);
    await runner.start();
    await jobs.enqueue(Acting, 'last');
    await isEmpty();
    expect([attempts, await notes()]).toEqual([[1], ['a 1']]);
  });

  it('before that leaves nothing of it: another runs the task when the lease has ended', async () => {
    const { catalog, notes, runner, id, attempts, isEmpty } = await dying('before-commit');
    expect(await notes()).toEqual([]);
    expect(await catalog.task({ queue: 'acting', id })).toMatchObject({ state: 'pending', attempt: 1 });
    await runner.start();
    await eventually(() => attempts.length > 0);
    await isEmpty();
    expect([attempts, await notes()]).toEqual([[2], ['a 2']]);
  });
});
