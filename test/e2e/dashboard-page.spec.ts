import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { eventually } from '../support/app.js';
import { focused, visit } from '../support/browser.js';
import { closeGate, Dig, gate } from './fixtures/dashboard-jobs.js';
import { places, startDashboard, type AdapterName } from './fixtures/dashboard-stage.js';
import { CallCourier, GiveUp, Idle, pageJobs } from './fixtures/page-jobs.js';

const stages: [string, AdapterName][] = [
  ['memory', 'express'],
  ['redis', 'fastify'],
  ['postgres', 'express'],
];

const row = (page: Page, name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

describe.each(stages)('The page on %s', (place, adapter) => {
  const start = async () =>
    startDashboard({ adapter, providers: [...pageJobs, Dig], jobs: await places[place]!() });

  it('shows live what runs, how far it is, and what has ended', async () => {
    closeGate();
    const { url, jobs, catalog } = await start();
    const { page } = await visit(url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    await jobs.enqueue(Dig, undefined, { keep: '1h' });
    const runners = page.getByRole('region', { name: 'Runners' });
    await runners.getByRole('link', { name: 'Dig' }).waitFor();
    await runners.getByText('digging').waitFor();
    expect(await runners.getByRole('progressbar').getAttribute('value')).toBe('40');
    await page.getByRole('link', { name: '1 pending' }).first().waitFor();

    gate.open();
    await page.getByRole('link', { name: '1 succeeded' }).first().waitFor();
    await runners.getByRole('link', { name: 'Dig' }).waitFor({ state: 'detached' });
    expect(await catalog.counts('slow')).toMatchObject({ pending: 0, succeeded: 1 });
    await page
      .getByRole('img', { name: /last hour: [1-9]\d* runs? succeeded/ })
      .first()
      .waitFor();
    await button(page, 'Last day').click();
    await page.getByRole('heading', { name: 'Runs, last 24 hours' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/overview?span=day');
  });

  it('tells the life of a task, and retries and removes it after naming the number', async () => {
    const { url, jobs, catalog } = await start();
    const { id } = await jobs.enqueue(CallCourier, { to: 'the moon' });
    await eventually(async () => (await catalog.counts('orders')).dead === 1);
    const { page } = await visit(`${url}#/tasks?state=dead`);
    await link(page, 'CallCourier').click();

    await page.getByRole('heading', { name: 'CallCourier' }).waitFor();
    for (const text of ['Enqueued', 'Attempt 1 failed', 'Attempt 2 failed', 'Dead: no attempt is left'])
      await page.getByRole('region', { name: 'Timeline' }).getByText(text, { exact: true }).waitFor();
    await page.getByText('RangeError: no courier answers, call 2').first().waitFor();
    expect(await page.getByLabel('Stack').last().textContent()).toContain('page-jobs');
    await page.getByText('calling, attempt 2').waitFor();
    await page.getByText('"the moon"').waitFor();
    expect(await page.getByText(id, { exact: true }).count()).toBeGreaterThan(0);

    await button(page, 'Retry').click();
    const dialog = page.getByRole('dialog', { name: 'Retry 1 task?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The page gives the focus back after it has drawn.
    await eventually(async () => (await focused(page)) === 'Retry');
    expect(await catalog.counts('orders')).toMatchObject({ dead: 1 });

    await button(page, 'Retry').click();
    await button(page, 'Retry 1 task').click();
    await page.getByText('1 task to be retried.').waitFor();
    await eventually(async () => (await catalog.task({ queue: 'orders', id }))?.state === 'dead');

    await button(page, 'Remove').click();
    await button(page, 'Remove 1 task').click();
    await page.getByText('1 task removed.').waitFor();
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    expect(await catalog.task({ queue: 'orders', id })).toBeUndefined();
  });

  it('acts on a selection and on all that match, with their number', async () => {
    const { url, jobs, catalog } = await start();
    for (let at = 0; at < 5; at++) await jobs.enqueue(Idle, { at }, { id: `idle-${at}`, in: '1h' });
    const { page } = await visit(`${url}#/tasks?state=scheduled`);
    await page.getByText('5 tasks, no more').waitFor();

    await page.getByLabel('Select Idle idle-1').check();
    await page.getByLabel('Select Idle idle-3').check();
    await page.getByText('2 tasks selected').waitFor();
    await page.getByRole('group', { name: 'What to do with the selected tasks' }).getByText('Cancel').click();
    await button(page, 'Cancel 2 tasks').click();
    await page.getByText('2 tasks cancelled.').waitFor();
    await page.getByText('3 tasks, no more').waitFor();
    expect((await catalog.task({ queue: 'orders', id: 'idle-3' }))?.state).toBe('cancelled');

    await page.getByText('All that match …').click();
    await button(page, 'Run now all').click();
    await page.getByRole('dialog', { name: 'Run now 3 tasks?' }).waitFor();
    await button(page, 'Run now 3 tasks').click();
    await page.getByText('3 tasks made due now.').waitFor();
    await eventually(async () => (await catalog.counts('orders')).scheduled === 0);
    await page.getByText('No task is scheduled.').waitFor();
  });

  it('forgets a selection that is no longer on view', async () => {
    const { url, jobs } = await start();
    for (let at = 0; at < 2; at++) await jobs.enqueue(Idle, { at }, { id: `idle-${at}`, in: '1h' });
    const { page } = await visit(`${url}#/tasks?state=scheduled`);
    await page.getByLabel('Select Idle idle-1').check();
    await page.getByText('1 task selected').waitFor();
    await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'dead' }).click();
    await page.getByText('No task is dead.').waitFor();
    expect(await page.getByText('1 task selected').count()).toBe(0);
    await page.goBack();
    await page.getByText('2 tasks, no more').waitFor();
    expect(await page.getByLabel('Select Idle idle-1').isChecked()).toBe(false);
  });

  it('does not say that no attempt is left of a task that gave up before', async () => {
    const { url, jobs, catalog } = await start();
    const { id } = await jobs.enqueue(GiveUp);
    await eventually(async () => (await catalog.counts('orders')).dead === 1);
    const { page } = await visit(`${url}#/task?queue=orders&id=${id}`);
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Dead: it is not to be tried again', { exact: true }).waitFor();
    expect(await timeline.getByText('no attempt is left').count()).toBe(0);
  });

  it('groups failures, and redrives a group', async () => {
    const { url, jobs, catalog } = await start();
    for (let at = 0; at < 3; at++) await jobs.enqueue(CallCourier, { at });
    await eventually(async () => (await catalog.counts('orders')).dead === 3);
    const { page } = await visit(`${url}#/failures`);
    await page.getByText('RangeError: no courier answers, call #').waitFor();
    await page.getByText('3 dead tasks', { exact: true }).waitFor();
    const endings = async () =>
      (await catalog.tasks({ state: 'dead' })).tasks.map(({ finishedAt }) => finishedAt?.getTime());
    const before = await endings();
    await button(page, 'Redrive 3 tasks of CallCourier').click();
    await button(page, 'Retry 3 tasks').click();
    await page.getByText('3 tasks to be retried.').waitFor();
    await eventually(async () => {
      const after = await endings();
      return after.length === 3 && !after.some((at) => before.includes(at));
    });
  });

  it('tells when a schedule runs, runs it now, and pauses it and a queue', async () => {
    const { url, catalog } = await start();
    await eventually(async () => (await catalog.schedules({})).schedules.length === 1);
    const { page } = await visit(`${url}#/schedules`);
    await row(page, 'CountStock').getByText('every hour').waitFor();
    await link(page, 'CountStock').click();
    await page.getByRole('heading', { name: 'Next slots' }).waitFor();
    expect(await page.getByRole('region', { name: 'Next slots' }).getByRole('listitem').count()).toBe(5);
    await button(page, 'Run now: CountStock').click();
    await page.getByText('A task of CountStock is enqueued.').waitFor();
    await link(page, 'Open the task').click();
    await page.getByText('Succeeded at attempt 1').waitFor();
    await page.goBack();
    await button(page, 'Pause CountStock').click();
    await button(page, 'Resume CountStock').waitFor();
    expect((await catalog.schedules({})).schedules).toMatchObject([{ isPaused: true }]);

    await link(page, 'Queues').click();
    await button(page, 'Pause reports').click();
    await page.getByLabel('How long').selectOption({ label: 'for an hour' });
    await page.getByRole('dialog').getByRole('button', { name: 'Pause reports' }).click();
    await row(page, 'reports').getByText('paused').waitFor();
    const paused = (await catalog.queues()).find(({ name }) => name === 'reports');
    expect(paused).toMatchObject({ isPaused: true });
    expect(paused!.pausedForMs).toBeGreaterThan(3_500_000);
    await button(page, 'Resume reports').click();
    await button(page, 'Pause reports').waitFor();
  });

  it('enqueues a job by a form that says beside each field what is wrong', async () => {
    const { url, catalog } = await start();
    const { page } = await visit(`${url}#/jobs`);
    await link(page, 'Enqueue PackOrder').click();
    await page.getByLabel('customer').waitFor();
    await button(page, 'Enqueue PackOrder').click();
    await page.getByText('The params do not pass: see beside the fields.').waitFor();
    await page.getByText('customer must be a string').waitFor();
    expect(await page.getByLabel('customer').getAttribute('aria-invalid')).toBe('true');
    await eventually(() => page.getByLabel('customer').evaluate((field: any) => field.matches(':focus')));

    await page.getByLabel('customer').fill('Ada');
    await page.getByText('customer must be a string').waitFor({ state: 'detached' });
    await button(page, 'Add to items').click();
    await page.getByLabel('name').fill('tea');
    await page.getByLabel('amount').fill('-2');
    await page.getByText('amount must be a positive number').waitFor();
    await page.getByLabel('amount').fill('2');
    await page.getByText('amount must be a positive number').waitFor({ state: 'detached' });
    await page.getByLabel('by', { exact: true }).selectOption('courier');
    await page.getByLabel('isGift').selectOption('true');
    await page.getByLabel('before').fill('2030-01-02T03:04:05');
    await page.getByText('When, where and how often').click();
    await page.getByLabel('Delay').fill('soon');
    await button(page, 'Enqueue PackOrder').click();
    await page.getByRole('alert').filter({ hasText: 'soon' }).waitFor();
    await page.getByLabel('Delay').fill('1h');
    await page.getByLabel('Id', { exact: true }).fill('order-1');
    await button(page, 'Enqueue PackOrder').click();
    await page.getByText('A task of PackOrder is enqueued:').waitFor();
    expect(await catalog.task({ queue: 'orders', id: 'order-1' })).toMatchObject({
      state: 'scheduled',
      params: {
        customer: 'Ada',
        items: [{ name: 'tea', amount: 2 }],
        by: 'courier',
        isGift: true,
        before: expect.stringMatching(/^2030-01-0/),
      },
    });
    await link(page, 'order-1').click();
    await button(page, 'Run now').click();
    await button(page, 'Run now 1 task').click();
    await page.getByText('Succeeded at attempt 1').waitFor();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await page.getByText('parcels').waitFor();
  });
});
