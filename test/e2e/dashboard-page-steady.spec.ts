import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Job } from 'nestjs-jobs';
import type { Page } from 'playwright-core';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { startDashboard } from './fixtures/dashboard-stage.js';
import { CallCourier, Idle, pageJobs } from './fixtures/page-jobs.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Stands before the dashboard: what `answer` answers, the dashboard does not. */
function before(answer: Answer) {
  return (app: INestApplication) =>
    app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (!answer(request, response)) next();
    });
}

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}) => {
  response.writeHead(status, headers).end('no');
  return true;
};

/** As a browser does with a tab that goes to the back, or comes to the front. */
const turn = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((state) => {
    const { document, Event } = globalThis as any;
    Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

/** Finds something very deep, and something very wide. */
@Job({ queue: 'orders', keep: '1h' })
class Measure {
  run() {
    let deep: unknown = 'the bottom';
    for (let level = 3_000; level > 0; level--) deep = { [`level${level}`]: deep };
    const row = Object.fromEntries([...'abcdefghij'].map((key) => [key, [key]]));
    return { deep, wide: Array.from({ length: 90 }, () => row) };
  }
}

const stop = { jobs: { runner: false } } as const;

describe('A tab in the back', () => {
  it('holds no stream and asks for nothing, and looks again when it comes to the front', async () => {
    const streams = new Set<ServerResponse>();
    const asked: string[] = [];
    const { url, jobs } = await startDashboard({
      ...stop,
      providers: pageJobs,
      before: before(({ url, headers }, response) => {
        if (url!.endsWith('/stream')) {
          streams.add(response);
          response.once('close', () => streams.delete(response));
        } else if (headers['x-who'] === 'first') asked.push(url!);
        return false;
      }),
    });
    const { page } = await visit(`${url}#/tasks`, { extraHTTPHeaders: { 'x-who': 'first' } });
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('There is no task.').waitFor();
    await turn(page, 'hidden');
    await eventually(() => streams.size === 0);
    const { page: other } = await visit(`${url}#/tasks`);
    await other.getByText('Live', { exact: true }).waitFor();
    const known = asked.length;
    await jobs.enqueue(Idle, undefined, { id: 'meanwhile' });
    await other.getByText('meanwhile').waitFor();
    expect(asked.slice(known)).toEqual([]);
    await turn(page, 'visible');
    await page.getByText('meanwhile').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(streams.size).toBe(2);
  });

  it('takes no connection from the others: a browser has six for all of them', async () => {
    const { url } = await startDashboard({ ...stop, providers: pageJobs });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('Live', { exact: true }).waitFor();
    let front = page;
    for (let tab = 0; tab < 7; tab++) {
      await turn(front, 'hidden');
      front = await page.context().newPage();
      await front.goto(`${url}#/tasks`);
      await front.getByText('Live', { exact: true }).waitFor({ timeout: 15_000 });
    }
  });
});

describe('A selection', () => {
  it('is dealt with as far as that is possible, and the number says so', async () => {
    const { url, jobs, catalog } = await startDashboard({ ...stop, providers: pageJobs });
    for (let at = 0; at < 4; at++) await jobs.enqueue(Idle, { at }, { id: `idle-${at}` });
    await jobs.enqueue(Idle, undefined, { id: 'later', in: '1h' });
    await catalog.cancel({ queue: 'orders', id: 'idle-3' });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByLabel('Select the 5 tasks of this list').check();
    const bar = page.getByRole('group', { name: 'What to do with the selected tasks' });
    await bar.getByRole('button', { name: 'Remove', exact: true }).waitFor();
    await bar.getByRole('button', { name: 'Cancel 4 of 5', exact: true }).waitFor();
    await bar.getByRole('button', { name: 'Retry 1 of 5', exact: true }).click();
    await page.getByRole('dialog', { name: 'Retry 1 task?' }).waitFor();
    await page.getByRole('button', { name: 'Retry 1 task' }).click();
    await page.getByText('1 task to be retried.').waitFor();
    expect(await catalog.counts('orders')).toMatchObject({ waiting: 4, cancelled: 0 });
  });

  it('stays under the hands of whoever makes it, and counts no task that has gone on meanwhile', async () => {
    const { url, jobs, catalog } = await startDashboard({ ...stop, providers: pageJobs });
    for (let at = 0; at < 3; at++) await jobs.enqueue(Idle, { at }, { id: `idle-${at}`, in: '1h' });
    const { page } = await visit(`${url}#/tasks?state=scheduled`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Select the 3 tasks of this list').check();
    await catalog.cancel({ queue: 'orders', id: 'idle-1' });
    const stale = page.getByText('Something may have happened since.');
    await stale.waitFor();
    expect(await page.locator('.task-table .row-link').count()).toBe(3);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog', { name: 'Cancel 2 tasks?' }).waitFor();
    await page.keyboard.press('Escape');
    await stale.click();
    await page.getByText('2 tasks selected').waitFor();
  });
});

describe('What is on view', () => {
  it('stays where the application refuses a call for a moment, and so does what was typed', async () => {
    let status = 0;
    let refused = 0;
    const { url, jobs } = await startDashboard({
      ...stop,
      providers: pageJobs,
      before: before(({ url }, response) => {
        if (!status || !url!.includes('/api/') || url!.endsWith('/stream')) return false;
        refused++;
        return refuse(response, status);
      }),
    });
    const { page } = await visit(`${url}#/enqueue?job=PackOrder`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('customer').fill('Ada');
    const { page: list } = await visit(`${url}#/jobs`);
    await list.getByRole('link', { name: 'PackOrder', exact: true }).waitFor();
    await list.getByText('Live', { exact: true }).waitFor();
    for (status of [429, 500, 401]) {
      refused = 0;
      await jobs.enqueue(Idle);
      await eventually(() => refused > 0);
      const said = status === 401 ? 'You are not signed in.' : `The application answered ${status}.`;
      await list.getByText(said).first().waitFor();
      expect(await list.getByRole('link', { name: 'PackOrder', exact: true }).count()).toBe(1);
      expect(await page.getByLabel('customer').inputValue()).toBe('Ada');
      status = 0;
      await list.getByText(said).first().waitFor({ state: 'detached', timeout: 40_000 });
    }
  }, 120_000);

  it('is asked for less often where the application says that it is too much', async () => {
    const refused: string[] = [];
    const { url, jobs } = await startDashboard({
      ...stop,
      providers: pageJobs,
      before: before(({ url, headers }, response) => {
        if (headers['x-who'] !== 'first' || !url!.endsWith('/overview')) return false;
        refused.push(url!);
        return refuse(response, 429, { 'retry-after': '600' });
      }),
    });
    const { page } = await visit(url, { extraHTTPHeaders: { 'x-who': 'first' } });
    await eventually(() => refused.length > 0);
    await page.getByText('The application answered 429.').first().waitFor();
    const asked = refused.length;
    const { page: other } = await visit(`${url}#/tasks`);
    await other.getByText('Live', { exact: true }).waitFor();
    for (const id of ['one', 'two', 'three']) {
      await jobs.enqueue(Idle, undefined, { id });
      await other.getByText(id, { exact: true }).waitFor();
    }
    expect(refused.length).toBe(asked);
  });

  it('is not said to be down where the reader has to sign in again', async () => {
    let isSignedOut = false;
    const { url, jobs } = await startDashboard({
      ...stop,
      providers: pageJobs,
      before: before(({ url }, response) =>
        isSignedOut && url!.includes('/api/')
          ? refuse(response, 302, { location: 'https://sign-in.example/login' })
          : false,
      ),
    });
    const { page, faults } = await visit(`${url}#/jobs`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'PackOrder', exact: true }).waitFor();
    isSignedOut = true;
    await jobs.enqueue(Idle);
    await page.getByRole('alert').filter({ hasText: 'You are not signed in.' }).waitFor();
    expect(await page.getByText('gives no answer').count()).toBe(0);
    await page.goto(`${url}#/schedules`);
    await page.getByRole('button', { name: 'Load this page again' }).first().waitFor();
    // The browser notes where it was led. Had it gone there, the policy would have refused that.
    expect([...new Set(faults.splice(0))]).toEqual(['request to https://sign-in.example/login']);
  });

  it('is asked for again where that was refused, also where it has no further page', async () => {
    let [isRefused, asked] = [false, 0];
    const { url, jobs } = await startDashboard({
      ...stop,
      providers: pageJobs,
      before: before(({ url }, response) => {
        if (!url!.includes('/tasks?')) return false;
        asked++;
        return isRefused && refuse(response, 400);
      }),
    });
    await jobs.enqueue(Idle, undefined, { id: 'one' });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('1 task, no more').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    isRefused = true;
    await jobs.enqueue(Idle, undefined, { id: 'two' });
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    isRefused = false;
    const known = asked;
    await again.click();
    // Long before the page would look again by itself.
    await eventually(() => asked > known, 2_000);
    await page.getByText('2 tasks, no more').waitFor();
  });

  it('does not blink away while failures of the last hour are looked for anew', async () => {
    const held: ServerResponse[] = [];
    let isHeld = false;
    const { url, jobs, catalog } = await startDashboard({
      providers: pageJobs,
      before: before(({ url }, response) => {
        if (isHeld && url!.includes('/failures')) held.push(response);
        return isHeld && url!.includes('/failures');
      }),
    });
    await jobs.enqueue(CallCourier);
    await eventually(async () => (await catalog.counts('orders')).dead === 1);
    const { page } = await visit(`${url}#/failures?since=3600000`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Redrive 1 task of CallCourier' }).waitFor();
    isHeld = true;
    await page.clock.setFixedTime(Date.now() + 130_000);
    await jobs.enqueue(CallCourier);
    await eventually(() => held.length > 0);
    await page.getByRole('link', { name: 'Failures' }).getByText('2').waitFor();
    expect(await page.getByRole('button', { name: 'Redrive 1 task of CallCourier' }).count()).toBe(1);
    for (const response of held) response.destroy();
  });

  it('is a task of any depth, of which a branch is drawn once it is opened', async () => {
    const { url, jobs, catalog } = await startDashboard({ providers: [...pageJobs, Measure] });
    const { id } = await jobs.enqueue(Measure);
    await eventually(async () => (await catalog.counts('orders')).succeeded === 1);
    const { page } = await visit(`${url}#/task?queue=orders&id=${id}`);
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await page.getByText('level1', { exact: true }).waitFor();
    expect(await page.locator('.json-branch').count()).toBeLessThan(200);
    for (const level of [2, 3, 4]) {
      await page
        .locator('.json-branch:not([open])', { hasText: '1 field' })
        .first()
        .locator('summary')
        .click();
      await page.getByText(`level${level}`, { exact: true }).waitFor();
    }
    // What was opened stays open while the page is live.
    await page.getByText('Live', { exact: true }).waitFor();
    await jobs.enqueue(Idle, undefined, { in: '1h' });
    await catalog.pause('orders');
    await jobs.enqueue(Idle);
    await page.getByRole('link', { name: 'Tasks' }).first().getByText('1').waitFor();
    expect(await page.getByText('level4', { exact: true }).count()).toBe(1);
  });
});

describe('The time on view', () => {
  it('is what the address says, wherever that comes from, and is named before all that match are dealt with', async () => {
    const { url, jobs } = await startDashboard({ ...stop, providers: pageJobs });
    await jobs.enqueue(Idle, undefined, { id: 'now' });
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('1 task, no more').waitFor();
    const time = page.getByLabel('Time');
    const from = page.getByLabel('From', { exact: true });
    await page.evaluate(() => ((globalThis as any).location.hash = '#/tasks?from=1000&to=2000'));
    await page.getByText('No task matches.').waitFor();
    expect(await time.inputValue()).toBe('own');
    await from.waitFor();
    await page.getByRole('link', { name: 'Clear the filter' }).click();
    await page.getByText('1 task, no more').waitFor();
    expect(await time.inputValue()).toBe('');
    expect(await from.count()).toBe(0);

    await time.selectOption({ label: 'From … to …' });
    await from.fill('2001-02-03T04:05:06');
    await page.getByLabel('To', { exact: true }).fill('2001-02-04T04:05:06');
    await page.getByText('No task matches.').waitFor();
    expect(new URL(page.url()).hash).toMatch(/from=981\d+&to=981\d+/);
    await page.getByText('All that match …').click();
    await page.getByRole('button', { name: 'Remove all' }).click();
    await page
      .getByRole('dialog')
      .getByText(/All scheduled or .+ or succeeded tasks from Feb 3, 2001, .+ to Feb 4, 2001/)
      .waitFor();
    await page.keyboard.press('Escape');
    await time.selectOption({ label: 'Last hour' });
    await page.getByText('1 task, no more').waitFor();
    await page.getByText('All that match …').click();
    await page.getByRole('button', { name: 'Remove all' }).click();
    await page
      .getByRole('dialog')
      .getByText(/All scheduled or .+ or succeeded tasks of the last hour\./)
      .waitFor();
  });

  it('and the rest of the filter go along from failures to the tasks of a group', async () => {
    const { url, jobs, catalog } = await startDashboard({ providers: pageJobs });
    await jobs.enqueue(CallCourier, { to: 'mars' });
    await jobs.enqueue(CallCourier, { to: 'venus' });
    await eventually(async () => (await catalog.counts('orders')).dead === 2);
    const { page } = await visit(`${url}#/failures?text=mars&since=3600000&queue=orders`);
    await page.getByRole('button', { name: 'Redrive 1 task of CallCourier' }).waitFor();
    await page.getByRole('link', { name: 'CallCourier', exact: true }).click();
    await page.getByText('1 task, no more').waitFor();
    expect(await page.getByLabel('Time').inputValue()).toBe('3600000');
    expect(await page.getByLabel('Queue').inputValue()).toBe('orders');
  });
});
