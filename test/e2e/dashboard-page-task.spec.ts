import { describe, expect, it } from '@jest/globals';
import { memoryBackend } from 'nestjs-jobs';
import type { Page } from 'playwright-core';
import { eventually } from '../support/app.js';
import { axeFaults, visit } from '../support/browser.js';
import { closeGate, Dig, gate, LoseLetter, RedirectLetter } from './fixtures/dashboard-jobs.js';
import { startDashboard, type DashboardApp } from './fixtures/dashboard-stage.js';

const step = (page: Page, title: string) =>
  page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: title });
const runnerOf = async ({ catalog }: DashboardApp) => (await catalog.runners())[0]!.name;
const address = ({ url }: DashboardApp, queue: string, id: string) => `${url}#/task?queue=${queue}&id=${id}`;

/** As the timeline tells a run that took less than ten seconds. */
const ran = /began \d\d:\d\d:\d\d( [AP]M)?, ran [\d.]+ m?s on /;

describe('The timeline of a task', () => {
  it('tells of each attempt when it began, how long it ran, on which runner, and how it ended', async () => {
    const app = await startDashboard({ providers: [RedirectLetter] });
    const { id } = await app.jobs.enqueue(RedirectLetter);
    await eventually(async () => (await app.catalog.task(id))?.state === 'succeeded');
    const { page } = await visit(address(app, 'mail', id));
    for (const title of ['Attempt 1 failed', 'Succeeded at attempt 2']) {
      const run = step(page, title).locator('p', { hasText: ran });
      await run.getByText(await runnerOf(app), { exact: true }).waitFor();
      await run.locator('time').waitFor();
    }
    const { errors, lastRun } = (await app.catalog.task(id))!;
    const began = (title: string) => step(page, title).locator('p time').getAttribute('datetime');
    expect(await began('Attempt 1 failed')).toBe(errors[0]!.startedAt!.toISOString());
    expect(await began('Succeeded at attempt 2')).toBe(lastRun!.startedAt.toISOString());
  });

  it('tells the run of a dead task once, with its error', async () => {
    const app = await startDashboard({ providers: [LoseLetter] });
    const { id } = await app.jobs.enqueue(LoseLetter);
    await eventually(async () => (await app.catalog.task(id))?.state === 'dead');
    const { page } = await visit(address(app, 'mail', id));
    await step(page, 'Dead: no attempt is left').waitFor();
    expect(await page.getByText(ran).count()).toBe(1);
    expect(await step(page, 'Attempt 1 failed').getByText(ran).count()).toBe(1);
  });

  it('says of an attempt whose runner died that it was lost', async () => {
    const backend = memoryBackend();
    const app = await startDashboard({ providers: [LoseLetter], jobs: { backend, runner: false } });
    const { id } = await app.jobs.enqueue(LoseLetter);
    const queues = [{ queue: 'mail', limit: 1 }];
    await backend.tasks.claim({ queues, limit: 1, leaseMs: 1, runner: 'killed' });
    await eventually(async () => {
      await backend.tasks.claim({ queues, limit: 0, leaseMs: 1, runner: 'other' });
      return (await app.catalog.task(id))?.state === 'dead';
    });
    const { page } = await visit(address(app, 'mail', id));
    const run = step(page, 'Attempt 1 was lost').locator('p', { hasText: ran });
    await run.getByText('killed', { exact: true }).waitFor();
  });

  it('tells on which runner an attempt runs now, and which one was cancelled', async () => {
    closeGate();
    const app = await startDashboard({ providers: [Dig] });
    const { id } = await app.jobs.enqueue(Dig);
    await eventually(async () => (await app.catalog.task(id))?.state === 'pending');
    const runner = await runnerOf(app);
    const { page } = await visit(address(app, 'slow', id));
    await step(page, 'Attempt 1 runs now').getByText(runner, { exact: true }).waitFor();
    await app.catalog.cancel({ queue: 'slow', id });
    const run = step(page, 'Cancelled').locator('p', { hasText: ran });
    await run.getByText(runner, { exact: true }).waitFor();
    gate.open();
  });
});

describe('A task that goes while it is on view', () => {
  const finished = 'This task has finished and is not kept';

  it('is said to have finished, with its last known values, and comes back with its id', async () => {
    closeGate();
    const app = await startDashboard({ providers: [Dig] });
    await app.jobs.enqueue(Dig, { depth: 'two metres' }, { id: 'hole' });
    const { page } = await visit(address(app, 'slow', 'hole'));
    await page.getByText('Live', { exact: true }).waitFor();
    await step(page, 'Attempt 1 runs now').waitFor();
    await page.getByText('found a stone').waitFor();
    const runner = await runnerOf(app);

    gate.open();
    const said = page.getByRole('status').filter({ hasText: finished });
    await said.getByText('keep', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('heading', { name: 'Dig' }).waitFor();
    expect(await page.title()).toBe('Dig hole · Jobs');
    for (const text of ['found a stone', '"two metres"', 'digging', 'gone'])
      await page.getByText(text, { exact: true }).waitFor();
    await step(page, 'Last seen pending').getByText(runner, { exact: true }).waitFor();
    // Nothing goes on, and nothing can be done.
    expect(await page.getByText('Running for').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);

    const { page: other } = await visit(address(app, 'slow', 'hole'));
    await other.getByRole('alert').getByText('It may have been removed').waitFor();

    await app.jobs.enqueue(Dig, { depth: 'three metres' }, { id: 'hole', in: '1h' });
    await step(page, 'Due').waitFor();
    await page.getByText('"three metres"', { exact: true }).waitFor();
    expect(await said.count()).toBe(0);
  });

  it('is no longer kept where it had ended before', async () => {
    const app = await startDashboard({ providers: [LoseLetter] });
    const { id } = await app.jobs.enqueue(LoseLetter);
    await eventually(async () => (await app.catalog.task(id))?.state === 'dead');
    const { page } = await visit(address(app, 'mail', id));
    await page.getByText('Live', { exact: true }).waitFor();
    await step(page, 'Dead: no attempt is left').waitFor();
    await app.catalog.remove({ queue: 'mail', id });
    await page.getByText('This task has finished and is no longer kept').waitFor();
    await step(page, 'Dead: no attempt is left').waitFor();
    expect(await page.getByText(finished).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });
});
