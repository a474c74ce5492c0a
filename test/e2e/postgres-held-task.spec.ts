import { describe, expect, it } from '@jest/globals';
import { Job, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { openTransaction, startOnPostgres } from './fixtures/postgres-stage.js';

describe('A transaction that has a running task in hand', () => {
  it('keeps the runner neither from other tasks nor in doubt of its store, and the outcome is stored when it ends', async () => {
    const held = gate();
    const attempts: number[] = [];
    let ran = 0;
    @Job({ queue: 'work', retries: 1, backoff: '10ms' })
    class Held {
      async run(_: unknown, task: Task) {
        attempts.push(task.attempt);
        if (attempts.length > 1) return;
        await held.opened;
        throw new Error('the first attempt fails');
      }
    }
    @Job({ queue: 'work' })
    class Other {
      run(name: string) {
        ran++;
        if (name.endsWith('fails')) throw new Error('as it should');
      }
    }
    const app = await startOnPostgres({ providers: [Held, Other], options: { runner: { concurrency: 4 } } });
    const { id } = await app.jobs.enqueue(Held);
    await eventually(() => attempts.length === 1);
    const transaction = await openTransaction();
    await transaction.query(`SELECT FROM "${app.schema}".tasks WHERE id = $1 FOR UPDATE`, [id]);
    held.open();
    // One after the other, so that each costs its exchange; some of them have outcomes that go with a claim.
    const begunAt = performance.now();
    for (let n = 1; n <= 100; n++) {
      await app.jobs.enqueue(Other, n % 2 ? `${n}` : `${n} fails`);
      await eventually(() => ran === n);
    }
    // Each waited for the transaction before, 200 ms and more.
    expect(performance.now() - begunAt).toBeLessThan(15_000);
    expect(app.lines.filter(({ message }) => message.includes('does not answer'))).toEqual([]);
    expect(attempts).toEqual([1]);
    await transaction.query('COMMIT');
    await eventually(() => attempts.length === 2);
    expect(attempts).toEqual([1, 2]);
  });
});
