import { describe, expect, it } from '@jest/globals';
import { memoryBackend, type Backend } from 'nestjs-jobs';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { allJobs, LoseLetter } from './fixtures/dashboard-jobs.js';
import { startDashboard } from './fixtures/dashboard-stage.js';

const dead = 1_500;

/** A store in which every look takes its time: one answer of the API then holds a part alone. */
function slowBackend(): Backend {
  const backend = memoryBackend();
  const { list } = backend.catalog;
  backend.catalog.list = async (...args) => {
    await pause(60);
    return list.apply(backend.catalog, args);
  };
  return backend;
}

describe('A page for which the store must be searched in many pieces', () => {
  const start = async () => {
    const dashboard = await startDashboard({
      providers: allJobs,
      jobs: { backend: slowBackend(), runner: { concurrency: 200 } },
    });
    const { jobs, catalog } = dashboard;
    await jobs.bulk((bulk) => {
      for (let at = 0; at < dead; at++)
        bulk.enqueue(LoseLetter, { why: at % 3 ? 'no stamp' : 'no address' }, { id: `lost-${at}` });
    });
    await eventually(async () => (await catalog.counts('mail')).dead === dead, 30_000);
    await catalog.pause('mail');
    return dashboard;
  };

  it('adds the groups of failures up, and counts all of a group before it is redriven', async () => {
    const { url, get, catalog } = await start();
    expect((await get('failures')).body).toMatchObject({ isComplete: false, next: expect.any(String) });
    const { page } = await visit(`${url}#/failures`);
    await page.getByText('1,500 dead tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Redrive 1,000 tasks of LoseLetter' }).waitFor();
    await page.getByRole('button', { name: 'Redrive 500 tasks of LoseLetter' }).click();
    await page.getByRole('dialog', { name: 'Retry 500 tasks?' }).waitFor();
    await page.getByRole('button', { name: 'Retry 500 tasks' }).click();
    await page.getByText('500 tasks to be retried.').waitFor();
    await page.getByText('1,000 dead tasks', { exact: true }).waitFor();
    expect(await catalog.counts('mail')).toMatchObject({ dead: 1_000, waiting: 500 });
  }, 60_000);

  it('shows what a search has found while it goes on', async () => {
    const { url, get } = await start();
    const query = 'state=dead&text=lost-149';
    const first = await get(`tasks?limit=100&backwards=true&${query}`);
    expect(first.body).toMatchObject({ isComplete: false });
    const { page } = await visit(`${url}#/tasks?${query}`);
    await page.getByText('lost-1499').waitFor();
    // Of 149 itself and the ten that begin with it.
    await page.getByText('11 tasks, no more').waitFor();
    for (const id of ['lost-149', 'lost-1490', 'lost-1499'])
      expect(await page.getByLabel(`Select LoseLetter ${id}`, { exact: true }).count()).toBe(1);
  }, 60_000);
});
