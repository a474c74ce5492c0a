import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/app.js';
import { openApp, type JoiningApp } from './app.js';
import type { Database } from './database.js';
import type { Library } from './joining.js';

/** What a task's part in a transaction means to an application, with whatever library it works. */
export function describeEnqueueing(
  isEmbedded: boolean,
  opened: () => { readonly database: Database; readonly library: Library },
): void {
  describe('in an application', () => {
    let app: JoiningApp;
    beforeAll(async () => {
      app = await openApp(opened().database);
    });
    afterAll(() => app?.close());

    const start = () => {
      app.runs.splice(0);
      app.act = () => undefined;
      return { ...app, library: opened().library };
    };

    it('leaves no task when it is rolled back, nor of a savepoint that is', async () => {
      const { jobs, Noting, runs, library, isDone } = start();
      const rolledBack = library.inTransaction(async (transaction) => {
        await jobs.enqueue(Noting, 'rolled back', { transaction });
        await jobs.bulk((bulk) => bulk.enqueue(Noting, 'rolled back'), { transaction });
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      await library.inTransaction(async (transaction) => {
        await jobs.enqueue(Noting, 'before', { transaction });
        const within = library.inSavepoint(transaction, async (savepoint) => {
          await jobs.enqueue(Noting, 'within', { transaction: savepoint });
          await jobs.bulk((bulk) => bulk.enqueue(Noting, 'within'), { transaction: savepoint });
          throw new Error('rolled back');
        });
        await expect(within).rejects.toThrow('rolled back');
        await library.inSavepoint(transaction, (savepoint) =>
          jobs.enqueue(Noting, 'released', { transaction: savepoint }),
        );
        await jobs.enqueue(Noting, 'after', { transaction });
      });
      await eventually(() => runs.length >= 3);
      await isDone();
      expect(runs.sort()).toEqual(['after 1', 'before 1', 'released 1']);
    });

    it('wakes a runner with its commit, and not before', async () => {
      const { jobs, Noting, runs, library, isDone } = start();
      await library.inTransaction(async (transaction) => {
        await jobs.enqueue(Noting, 'one', { transaction });
        const several = await jobs.bulk(
          (bulk) => ['two', 'three'].forEach((name) => bulk.enqueue(Noting, name)),
          { transaction },
        );
        expect(several.map(({ status }) => status)).toEqual(['enqueued', 'enqueued']);
        // PGlite has no other connection.
        if (!isEmbedded) {
          await jobs.enqueue(Noting, 'beside');
          await eventually(() => runs.length > 0);
        }
        expect(runs).toEqual(isEmbedded ? [] : ['beside 1']);
      });
      await eventually(() => runs.length === (isEmbedded ? 3 : 4));
      await isDone();
      expect(runs).toEqual(expect.arrayContaining(['one 1', 'two 1', 'three 1']));
    });

    it('completes a task with its commit, and not when it is rolled back', async () => {
      const { jobs, Noting, runs, library, isDone } = start();
      app.act = (name, task) =>
        library.inTransaction(async (transaction) => {
          await task.complete(transaction);
          if (name === 'first') await jobs.enqueue(Noting, `next of ${task.attempt}`, { transaction });
          if (task.attempt === 1 && name === 'first') throw new Error('rolled back');
        });
      await jobs.enqueue(Noting, 'first');
      await eventually(() => runs.length === 2);
      await isDone();
      expect(runs.sort()).toEqual(['first 2', 'next of 2 1']);
    });
  });
}
