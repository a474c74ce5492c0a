/** Makes the pictures of the dashboard that the README shows. Run by `npm run screenshots`. */
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { openShop, type Shop } from './shop.js';

const folder = 'docs/dashboard';
const wide = { width: 1280, height: 800 };
const phone = { width: 390, height: 760 };

interface Picture {
  readonly name: string;
  readonly at: string;
  readonly scheme?: 'light' | 'dark';
  readonly size?: typeof wide;
  /** What to press before. */
  readonly press?: readonly string[];
}

async function take(browser: Browser, { url }: Shop, picture: Picture): Promise<void> {
  const { name, at, scheme = 'light', size = wide, press = [] } = picture;
  const page = await browser.newPage({
    viewport: size,
    colorScheme: scheme,
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  await page.goto(`${url}${at}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator('main .card').first().waitFor();
  for (const label of press) await page.getByRole('button', { name: label }).first().click();
  // Drawn in full: charts, and what a dialog has to ask for.
  await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => undefined);
  await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
  await page.close();
}

/** The address of the first task or schedule that a call gives. */
async function addressOf({ url }: Shop, page: 'task' | 'schedule', call: string): Promise<string> {
  const answer = (await (await fetch(new URL(`api/v1/${call}`, url))).json()) as Record<
    string,
    { queue: string; id: string }[]
  >;
  const { queue, id } = answer[`${page}s`]![0]!;
  return `#/${page}?${new URLSearchParams({ queue, id }).toString()}`;
}

mkdirSync(folder, { recursive: true });
const shop = await openShop();
const browser = await chromium.launch({
  executablePath: process.env.TEST_CHROMIUM,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
});
try {
  const dead = await addressOf(shop, 'task', 'tasks?state=dead&backwards=true&limit=1');
  const running = await addressOf(shop, 'task', 'tasks?state=pending&limit=1');
  const schedule = await addressOf(shop, 'schedule', 'schedules?job=SyncInventory&limit=1');
  const pictures: Picture[] = [
    { name: 'overview', at: '#/overview' },
    { name: 'overview-dark', at: '#/overview?span=day', scheme: 'dark' },
    { name: 'overview-phone', at: '#/overview', size: phone },
    { name: 'tasks', at: '#/tasks' },
    { name: 'tasks-phone', at: '#/tasks?state=dead', size: phone, scheme: 'dark' },
    { name: 'task', at: dead },
    { name: 'task-running-dark', at: running, scheme: 'dark' },
    { name: 'failures', at: '#/failures', press: ['Redrive'] },
    { name: 'schedules', at: '#/schedules' },
    { name: 'schedule', at: schedule },
    { name: 'queues', at: '#/queues' },
    { name: 'jobs', at: '#/jobs' },
    { name: 'enqueue', at: '#/enqueue?job=ChargeCard', press: ['Enqueue ChargeCard'] },
  ];
  for (const picture of pictures) await take(browser, shop, picture);
  console.log(`${pictures.length} pictures are in ${folder}.`);
} finally {
  await browser.close();
  await shop.close();
}
