import { describe, expect, it, jest } from '@jest/globals';
import { Job, type JobsOptions, type Task } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { openTransaction, postgresUrl, startOnPostgres } from './fixtures/postgres-stage.js';

/** An application whose claims are counted. */
async function counted(job: new () => unknown, runner: JobsOptions['runner'] = {}) {
  const backend = postgresBackend({ url: postgresUrl });
  const app = await startOnPostgres({ providers: [job], options: { backend, runner } });
  const claim = jest.spyOn(backend.tasks, 'claim');
  /** How many there are in a second. */
  const claimsInASecond = async () => {
    const before = claim.mock.calls.length;
    const until = performance.now() + 1_000;
    await eventually(() => performance.now() > until);
    return claim.mock.calls.length - before;
  };
  return { ...app, claimsInASecond };
}

describe('A transaction that stays open', () => {
  it('and has a task in hand that has become due costs a few looks a second, and the task runs soon after it', async () => {
    let ran = 0;
    @Job({ queue: 'work' })
    class Work {
      run() {
        ran++;
      }
    }
    const app = await counted(Work);
    const { id } = await app.jobs.enqueue(Work, undefined, { in: '300ms' });
    const transaction = await openTransaction();
    await transaction.query(`SELECT FROM "${app.schema}".tasks WHERE id = $1 FOR UPDATE`, [id]);
    await app.claimsInASecond();
    expect(await app.claimsInASecond()).toBeLessThan(20);
    expect(ran).toBe(0);
    await transaction.query('COMMIT');
    // Long before a sweep would find it.
    await eventually(() => ran === 1, 5_000);
  });

  it('and completes a task later than its lease costs a few looks a second', async () => {
    const [completed, commit] = [gate(), gate()];
    @Job({ queue: 'work' })
    class Work {
      async run(_: unknown, task: Task) {
        const transaction = await openTransaction();
        await task.complete(transaction);
        completed.open();
        await commit.opened;
        await transaction.query('COMMIT');
      }
    }
    const app = await counted(Work, { lease: '1s' });
    await app.jobs.enqueue(Work);
    await completed.opened;
    await app.claimsInASecond();
    await app.claimsInASecond();
    expect(await app.claimsInASecond()).toBeLessThan(20);
    commit.open();
    await app.isEmpty();
  });
});
