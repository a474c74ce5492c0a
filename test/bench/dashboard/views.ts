import { JobCatalog } from 'nestjs-jobs';
import { chromium, type Browser } from 'playwright-core';
import type { Row } from '../table.js';
import { percentile } from '../side-by-side/figures.js';
import type { BenchApp } from './bench-app.js';
import { orderOf } from './fill.js';

/** A page, and what is on it once it has something to say. */
interface View {
  readonly name: string;
  readonly at: string;
  readonly shows: string;
}

/** From the address entered to what it shows, in a browser that has been there before; the first visit does not count. */
export async function measureViews(bench: BenchApp, executablePath: string, visits: number): Promise<Row[]> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-sync',
    ],
  });
  try {
    const rows: Row[] = [];
    for (const view of await viewsOf(bench)) rows.push(await measureView(browser, bench.url, view, visits));
    return rows;
  } finally {
    await browser.close();
  }
}

async function measureView(browser: Browser, url: string, { name, at, shows }: View, visits: number) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const ms: number[] = [];
  for (let visit = 0; visit <= visits; visit++) {
    const page = await context.newPage();
    const from = performance.now();
    await page.goto(`${url}${at}`, { waitUntil: 'commit' });
    await page.locator(shows).first().waitFor({ timeout: 30_000 });
    if (visit > 0) ms.push(performance.now() - from);
    await page.close();
  }
  await context.close();
  return {
    page: name,
    'p50, ms': percentile(ms, 50).toFixed(0),
    'p95, ms': percentile(ms, 95).toFixed(0),
    'max, ms': Math.max(...ms).toFixed(0),
  };
}

async function viewsOf({ app }: BenchApp): Promise<View[]> {
  const catalog = app.get(JobCatalog);
  const { tasks } = await catalog.tasks({ state: 'dead' }, { limit: 1 });
  const { schedules } = await catalog.schedules({}, { limit: 1 });
  const one = ({ queue, id }: { queue: string; id: string }) => new URLSearchParams({ queue, id }).toString();
  return [
    { name: 'Overview', at: '#/overview', shows: 'main td:has-text("billing")' },
    { name: 'Tasks', at: '#/tasks', shows: 'main a[href^="#/task?"]' },
    { name: 'Tasks, waiting', at: '#/tasks?state=waiting', shows: 'main a[href^="#/task?"]' },
    {
      name: 'Tasks, searched for',
      at: `#/tasks?state=dead&text=${orderOf(17_000)}`,
      shows: 'main a[href^="#/task?"]',
    },
    { name: 'Task', at: `#/task?${one(tasks[0]!)}`, shows: 'main :text("Attempt 1 failed")' },
    { name: 'Failures', at: '#/failures', shows: 'main :text("RangeError: the bank")' },
    { name: 'Schedules', at: '#/schedules', shows: 'main a[href^="#/schedule?"]' },
    { name: 'Schedule', at: `#/schedule?${one(schedules[0]!)}`, shows: 'main :text("Next slots")' },
    { name: 'Queues', at: '#/queues', shows: 'main :text("billing")' },
    { name: 'Jobs', at: '#/jobs', shows: 'main :text("ChargeCard")' },
    { name: 'Enqueue', at: '#/enqueue?job=SendLetter', shows: 'main label:has-text("subject")' },
  ];
}
