import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { places, startDashboard, type AdapterName } from './fixtures/dashboard-stage.js';
import { CallCourier, pageJobs } from './fixtures/page-jobs.js';
import type { DashboardRole } from '../../lib/dashboard/api.js';

const acting = /^(Retry|Remove|Redrive|Run|Cancel|Pause|Resume|Enqueue|Select|All that match)/;

const stages: [string, AdapterName][] = [
  ['memory', 'express'],
  ['redis', 'fastify'],
  ['postgres', 'express'],
];

async function start([place, adapter]: readonly [string, AdapterName], readOnly = false) {
  const app = await startDashboard({
    adapter,
    providers: pageJobs,
    jobs: await places[place]!(),
    dashboard: {
      readOnly,
      authorize: ({ headers }) => String(headers['x-roles']).split(',') as DashboardRole[],
      user: ({ headers }) => String(headers['x-user'] ?? ''),
    },
  });
  const { id } = await app.jobs.enqueue(CallCourier, {});
  await eventually(async () => (await app.catalog.counts('orders')).dead === 1);
  const task = `#/task?queue=orders&id=${id}`;
  return {
    ...app,
    addresses: ['#/overview', '#/tasks', task, '#/failures', '#/schedules', '#/queues', '#/jobs'],
  };
}

/** Everything that would change something, on all pages. */
async function offered(url: string, addresses: readonly string[], roles: string): Promise<string[]> {
  const { page } = await visit(url, { extraHTTPHeaders: { 'x-roles': roles, 'x-user': 'ada' } });
  const found = new Set<string>();
  for (const address of addresses) {
    await page.goto(`${url}${address}`);
    await page.locator('main .card, main .counts').first().waitFor();
    await eventually(async () => (await page.locator('.loading').count()) === 0);
    const names = await page
      .locator('button, summary, main a.button, .side-enqueue, input[type=checkbox]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent!.trim()));
    for (const name of names) if (acting.test(name)) found.add(name.replace(/ .*/, ''));
  }
  return [...found].sort();
}

describe('Who may do what on the page', () => {
  it('is offered no more than his role allows', async () => {
    const { url, addresses } = await start(stages[0]!);
    expect(await offered(url, addresses, 'view')).toEqual([]);
    expect(await offered(url, addresses, 'enqueue')).toEqual(['Enqueue']);
    expect(await offered(url, addresses, 'operate')).toEqual([
      'All',
      'Cancel',
      'Pause',
      'Redrive',
      'Remove',
      'Retry',
      'Run',
      'Select',
    ]);
  });
});

// Every page for every role takes long, and the store has no say in it: these two go through all of them.
describe.each(stages)('Who may do what on the page, on %s,', (...stage) => {
  it('is offered nothing on a dashboard for looking alone, and told so', async () => {
    const { url, addresses } = await start(stage, true);
    expect(await offered(url, addresses, 'view,operate,enqueue')).toEqual([]);
    const { page } = await visit(url, { extraHTTPHeaders: { 'x-roles': 'operate', 'x-user': 'ada' } });
    await page.getByText('read only').waitFor();
    await page.getByText('ada', { exact: true }).waitFor();
    await page.goto(`${url}#/enqueue?job=PackOrder`);
    await page.getByText('You may not enqueue.').waitFor();
  });

  it('is told by the server where his role was taken from him meanwhile', async () => {
    let roles: DashboardRole[] = ['operate'];
    const [place, adapter] = stage;
    const { url, jobs, catalog } = await startDashboard({
      adapter,
      providers: pageJobs,
      jobs: await places[place]!(),
      dashboard: { authorize: () => roles },
    });
    const { id } = await jobs.enqueue(CallCourier, {});
    await eventually(async () => (await catalog.counts('orders')).dead === 1);
    const { page } = await visit(`${url}#/task?queue=orders&id=${id}`);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('button', { name: 'Retry 1 task' }).waitFor();
    roles = ['view'];
    await page.getByRole('button', { name: 'Retry 1 task' }).click();
    await page.getByText("this needs the role 'operate', which you do not have").waitFor();
    expect(await catalog.counts('orders')).toMatchObject({ dead: 1 });
  });
});
