import { describe, expect, it } from '@jest/globals';
import type { FailureList, TaskActed, TaskPreview } from '../../lib/dashboard/api.js';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { allJobs, Dig, LoseLetter } from './fixtures/dashboard-jobs.js';
import { places, startDashboard } from './fixtures/dashboard-stage.js';

describe.each(Object.keys(places))('What arrives after its number was named, on %s,', (place) => {
  const start = async (runner: false | object = {}) => {
    const app = await startDashboard({
      providers: allJobs,
      jobs: { runner, ...(await places[place]!()) },
      dashboard: { authorize: () => ['operate'] },
    });
    return {
      ...app,
      /** Tasks that die. */
      async die(count: number, why = 'lost in the post') {
        const { dead } = await app.catalog.counts('mail');
        for (let at = 0; at < count; at++) await app.jobs.enqueue(LoseLetter, { why });
        await eventually(async () => (await app.catalog.counts('mail')).dead === dead + count);
      },
    };
  };

  it('is left alone by an action on all that match', async () => {
    const { die, post, catalog } = await start();
    await die(1);
    const asked = { action: 'remove', which: { filter: { state: ['dead'], job: ['LoseLetter'] } } };
    const { count, asOf } = (await post<TaskPreview>('tasks/preview', asked)).body;
    expect([count, asOf]).toEqual([1, expect.any(Number)]);
    await die(5);
    expect((await post<TaskActed>('tasks/act', { ...asked, asOf })).body.done).toBe(1);
    expect((await catalog.counts('mail')).dead).toBe(5);
    // Whoever names no number means them as they are now.
    expect((await post<TaskActed>('tasks/act', asked)).body.done).toBe(5);
  });

  it('is left alone by the redrive of its group', async () => {
    const { die, get, post, catalog } = await start();
    await die(2, 'order 1 is gone');
    const { job, error } = (await get<FailureList>('failures')).body.groups[0]!;
    const asked = { action: 'retry', which: { filter: { state: ['dead'], job: [job], error } } };
    const { count, asOf } = (await post<TaskPreview>('tasks/preview', asked)).body;
    expect(count).toBe(2);
    await die(3, 'order 2 is gone');
    await catalog.pause('mail');
    expect((await post<TaskActed>('tasks/act', { ...asked, asOf })).body.done).toBe(2);
    expect(await catalog.counts('mail')).toMatchObject({ dead: 3, waiting: 2 });
  });

  it('is left alone where it was there before, and only became due', async () => {
    const { jobs, post, catalog } = await start(false);
    await jobs.enqueue(Dig, undefined, { id: 'waits' });
    await jobs.enqueue(Dig, undefined, { id: 'comes', in: '1h' });
    const asked = { action: 'cancel', which: { filter: { state: ['waiting'] } } };
    const { count, asOf } = (await post<TaskPreview>('tasks/preview', asked)).body;
    expect(count).toBe(1);
    // The store's clock has moved on by then.
    await eventually(async () => (await catalog.now()).getTime() > asOf!);
    await catalog.runNow('comes');
    expect((await post<TaskActed>('tasks/act', { ...asked, asOf })).body.done).toBe(1);
    expect((await catalog.task('comes'))?.state).toBe('waiting');
  });

  it('is left alone by the page, while its question stands', async () => {
    const { die, url, catalog } = await start();
    await die(1);
    const { page } = await visit(`${url}#/tasks?state=dead`);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByText('1 task, no more').waitFor();
    await page.getByText('All that match …').click();
    await button('Remove all').click();
    await page.getByRole('dialog', { name: 'Remove 1 task?' }).waitFor();
    await die(5);
    await button('Remove 1 task').click();
    await page.getByText('1 task removed.').waitFor();
    expect((await catalog.counts('mail')).dead).toBe(5);

    await page.goto(`${url}#/failures`);
    await button('Redrive 5 tasks of LoseLetter').click();
    await page.getByRole('dialog', { name: 'Retry 5 tasks?' }).waitFor();
    await die(3);
    await catalog.pause('mail');
    await button('Retry 5 tasks').click();
    await page.getByText('5 tasks to be retried.').waitFor();
    expect(await catalog.counts('mail')).toMatchObject({ dead: 3, waiting: 5 });
  });
});
