import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardRole } from '../../lib/dashboard/api.js';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { ownRedis } from '../support/own-redis.js';
import { startDashboard } from './fixtures/dashboard-stage.js';
import { CallCourier, Idle, pageJobs } from './fixtures/page-jobs.js';

const listed = (page: Page) => page.locator('.task-table .row-link').allTextContents();

describe('A view of the page', () => {
  it('is in its address: whoever opens that sees the same', async () => {
    const { url, jobs } = await startDashboard({ providers: pageJobs, jobs: { runner: false } });
    for (let at = 0; at < 4; at++) await jobs.enqueue(Idle, { at }, { id: `idle-${at}` });
    await jobs.enqueue(CallCourier, { at: 3 }, { id: 'courier' });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('5 tasks, no more').waitFor();
    await page.getByLabel('Search ids, jobs, params, errors').fill('"at":3');
    await page.getByText('2 tasks, no more').waitFor();
    await page.getByLabel('Job', { exact: false }).and(page.locator('select')).selectOption('Idle');
    await page.getByText('1 task, no more').waitFor();
    await page.getByLabel('Queue').selectOption('orders');
    await page.getByLabel('Time').selectOption({ label: 'Last hour' });
    await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'waiting' }).click();
    await page.getByRole('button', { name: 'Last to run first' }).click();
    await page.getByText('1 task, no more').waitFor();

    const { page: other } = await visit(page.url());
    await other.getByText('idle-3').waitFor();
    expect(await listed(other)).toEqual(['Idle']);
    expect(await other.getByLabel('Search ids, jobs, params, errors').inputValue()).toBe('"at":3');
    expect(await other.getByLabel('Job', { exact: false }).and(other.locator('select')).inputValue()).toBe(
      'Idle',
    );
    expect(await other.getByLabel('Time').inputValue()).toBe('3600000');
    await other.getByRole('button', { name: 'Next to run first' }).waitFor();
    await other.getByLabel('Job', { exact: false }).and(other.locator('select')).selectOption('PackOrder');
    await other.getByText('No task matches.').waitFor();
    await other.getByRole('link', { name: 'Clear the filter' }).click();
    await other.getByText('5 tasks, no more').waitFor();
  });

  it('holds below any path, and asks for nothing above its own', async () => {
    const { url, jobs } = await startDashboard({
      providers: pageJobs,
      before: (app) => app.setGlobalPrefix('admin/tools'),
      at: '/admin/tools/jobs',
      jobs: { runner: false },
    });
    await jobs.enqueue(Idle, undefined, { id: 'far-away' });
    const { page } = await visit(url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('about:blank');
    // Without the slash at its end.
    await page.goto(url.replace(/\/$/, '#/tasks'));
    await page.getByText('far-away').waitFor();
    expect(asked.length).toBeGreaterThan(4);
    expect(
      asked.filter((address) => address !== 'about:blank' && !address.startsWith(url.replace(/\/$/, ''))),
    ).toEqual([]);
  });

  it('stays smooth with thousands of tasks: only rows near the eye are drawn, and the next pages come by themselves', async () => {
    const { url, jobs } = await startDashboard({ providers: pageJobs, jobs: { runner: false } });
    const count = 3_000;
    await jobs.bulk((bulk) => {
      for (let at = 0; at < count; at++)
        bulk.enqueue(Idle, { at }, { id: `idle-${at}`, at: new Date(2_000_000_000_000 + at) });
    });
    const { page } = await visit(`${url}#/tasks?order=oldest`);
    await page.getByText('idle-0', { exact: true }).waitFor();
    let drawn = 0;
    await eventually(async () => {
      await page.keyboard.press('End');
      drawn = Math.max(drawn, await page.locator('.task-table tbody tr').count());
      return page.getByText('3,000 tasks, no more').isVisible();
    }, 50_000);
    await page.getByText('idle-2999', { exact: true }).waitFor();
    expect(drawn).toBeLessThan(100);
    await page.keyboard.press('Home');
    await page.getByText('idle-0', { exact: true }).waitFor();
    await page.getByLabel('Select the 3000 tasks of this list').check();
    await page.getByText('3,000 tasks selected').waitFor();
    await page.getByRole('group', { name: 'What to do with the selected tasks' }).getByText('Remove').click();
    await page.getByRole('button', { name: 'Remove 3,000 tasks' }).click();
    await page.getByText('3,000 tasks removed.').waitFor();
    await page.getByText('There is no task.').waitFor();
  });

  it('says what is empty, and what is not there', async () => {
    const { url } = await startDashboard({ jobs: { runner: false } });
    const { page } = await visit(url);
    for (const [address, said] of [
      ['#/overview', 'No runner is alive.'],
      ['#/tasks', 'There is no task.'],
      ['#/failures', 'Nothing has died.'],
      ['#/schedules', 'There is no schedule.'],
      ['#/jobs', 'No job is known.'],
      ['#/task?queue=orders&id=nobody', 'It may have been removed, or its retention may have ended.'],
      ['#/schedule?queue=orders&id=nobody', 'It may have been removed, or its retention may have ended.'],
      ['#/nowhere', 'There is no such page.'],
    ] as const) {
      await page.goto(`${url}${address}`);
      await page.getByText(said).waitFor();
    }
  });

  it('marks in red what is wrong, and says what it means', async () => {
    const { url, jobs } = await startDashboard({ providers: pageJobs, jobs: { runner: false } });
    await jobs.enqueue(Idle);
    const { page } = await visit(url);
    const wrong = page.getByRole('list', { name: 'What is wrong' });
    await wrong.getByText(/1 task of queue 'orders' waits, and no live process runs it/).waitFor();
    await wrong.getByText(/Start a process that runs this queue/).waitFor();
    await page.getByRole('row').filter({ hasText: 'orders' }).locator('.mark.is-error').waitFor();
  });

  it('goes on by polling where there is no stream to be had', async () => {
    const { url, jobs } = await startDashboard({
      providers: pageJobs,
      jobs: { runner: false },
      dashboard: { streams: 1 },
    });
    const { page: first } = await visit(url);
    await first.getByText('Live', { exact: true }).waitFor();
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('Every few seconds').waitFor();
    await page.getByText('There is no task.').waitFor();
    await jobs.enqueue(Idle, undefined, { id: 'polled' });
    await page.getByText('polled').waitFor();
  });

  it('goes on counting where the stream that has counted so far is gone', async () => {
    const streams: ServerResponse[] = [];
    let isRefused = false;
    const { url, jobs } = await startDashboard({
      providers: pageJobs,
      jobs: { runner: false },
      before: (app) =>
        app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
          if (!request.url!.endsWith('/stream')) return next();
          if (isRefused) return response.writeHead(503).end();
          streams.push(response);
          next();
        }),
    });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('Live', { exact: true }).waitFor();
    const tally = (count: number) =>
      page.getByRole('link', { name: 'Tasks' }).locator('.tally', { hasText: new RegExp(`^${count}$`) });
    await jobs.enqueue(Idle);
    await tally(1).waitFor();
    isRefused = true;
    for (const stream of streams) stream.destroy();
    await page.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
    for (let at = 0; at < 2; at++) await jobs.enqueue(Idle);
    await page.getByText('3 tasks, no more').waitFor();
    await tally(3).waitFor();
  });

  it('says that the store is down, keeps what it has, and goes on when the store is back', async () => {
    const redis = await ownRedis();
    const { url, jobs } = await startDashboard({
      providers: pageJobs,
      jobs: { runner: false, backend: redis.url, enqueueTimeout: '1s' },
    });
    await jobs.enqueue(Idle, undefined, { id: 'before' });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('before', { exact: true }).waitFor();
    await redis.kill('SIGKILL');
    const outage = page.getByRole('alert').filter({ hasText: 'What you see may be out of date.' });
    await outage.waitFor({ timeout: 40_000 });
    expect(await page.getByText('before', { exact: true }).count()).toBe(1);
    await page.goto(`${url}#/schedules`);
    await page.getByText('Check that the Redis or PostgreSQL server').first().waitFor({ timeout: 40_000 });
    await redis.restart();
    await outage.waitFor({ state: 'detached', timeout: 40_000 });
    await page.getByText('There is no schedule.').waitFor();
  }, 120_000);

  it('says so when the application ends, and when the reader is no longer let in', async () => {
    let roles: DashboardRole[] | false = ['view'];
    const { url, close } = await startDashboard({
      providers: pageJobs,
      dashboard: { authorize: () => roles },
    });
    const { page } = await visit(`${url}#/jobs`);
    await page.getByRole('link', { name: 'PackOrder' }).waitFor();
    roles = false;
    await page.getByText('you may not see this dashboard').waitFor();
    await page.getByText('Ask whoever runs the application for access').waitFor();
    roles = ['view'];
    await page.getByRole('link', { name: 'PackOrder' }).waitFor();
    await close();
    await page.getByRole('alert').filter({ hasText: 'What you see may be out of date.' }).waitFor();
  });
});
