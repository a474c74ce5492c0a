import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/app.js';
import { axeFaults, focused, visit } from '../support/browser.js';
import { closeGate, Dig, gate } from './fixtures/dashboard-jobs.js';
import { startDashboard } from './fixtures/dashboard-stage.js';
import { CallCourier, Idle, PackOrder, pageJobs } from './fixtures/page-jobs.js';

/** An application with something on every page. */
async function start() {
  closeGate();
  const app = await startDashboard({ providers: [...pageJobs, Dig] });
  const { jobs, catalog } = app;
  await jobs.enqueue(Dig);
  const dead = await jobs.enqueue(CallCourier, { to: ['the moon', { orbit: 3, isFar: true, note: null }] });
  await jobs.enqueue(Idle, undefined, { in: '1h' });
  const done = await jobs.enqueue(PackOrder, {
    customer: 'Ada',
    items: [{ name: 'tea', amount: 1 }],
    by: 'post',
  });
  await eventually(async () => (await catalog.counts('orders')).dead === 1);
  await eventually(async () => (await catalog.counts('slow')).pending === 1);
  await catalog.pause('orders');
  const { schedules } = await catalog.schedules({});
  const ref = ({ queue, id }: { queue: string; id: string }) => new URLSearchParams({ queue, id }).toString();
  return {
    ...app,
    addresses: [
      '#/overview',
      '#/overview?span=day',
      '#/tasks',
      '#/tasks?text=nothing-like-this',
      `#/task?${ref(dead)}`,
      `#/task?${ref(done)}`,
      '#/task?id=nobody',
      '#/failures',
      '#/schedules',
      `#/schedule?${ref(schedules[0]!)}`,
      '#/queues',
      '#/jobs',
      '#/enqueue?job=PackOrder',
      '#/nowhere',
    ],
  };
}

describe('Access to the page', () => {
  it.each(['light', 'dark'] as const)('has no serious fault that axe finds, in %s', async (colorScheme) => {
    const { url, addresses } = await start();
    const { page } = await visit(url, { colorScheme });
    await page.getByText('Live', { exact: true }).waitFor();
    for (const address of addresses) {
      await page.goto(`${url}${address}`);
      await eventually(async () => (await page.locator('.loading').count()) === 0);
      expect({ address, faults: await axeFaults(page) }).toEqual({ address, faults: [] });
    }
    await page.goto(`${url}#/failures`);
    await page.getByRole('button', { name: /^Redrive/ }).click();
    await page.getByRole('dialog', { name: 'Retry 1 task?' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.goto(`${url}#/enqueue?job=PackOrder`);
    await page.getByRole('button', { name: 'Enqueue PackOrder' }).click();
    await page.getByText('customer must be a string').waitFor();
    await page.getByRole('button', { name: 'Add to items' }).click();
    expect(await axeFaults(page)).toEqual([]);
    gate.open();
  });

  it('needs no wider screen than a phone has', async () => {
    const { url, addresses } = await start();
    const { page } = await visit(url, { viewport: { width: 375, height: 740 } });
    for (const address of addresses) {
      await page.goto(`${url}${address}`);
      await page.locator('h1, .empty').first().waitFor();
      await eventually(async () => (await page.locator('.loading').count()) === 0);
      const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
      expect({ address, width }).toEqual({ address, width: 375 });
    }
    gate.open();
  });

  it('needs no mouse', async () => {
    const { url } = await start();
    const { page } = await visit(`${url}#/tasks?state=dead`);
    await page.getByRole('link', { name: 'CallCourier' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await eventually(async () => (await focused(page, 'id')) === 'content');
    while ((await focused(page)) !== 'CallCourier') await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => {
      const { document, getComputedStyle } = globalThis as any;
      return getComputedStyle(document.activeElement).outlineStyle;
    });
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'CallCourier' }).waitFor();
    await eventually(async () => (await focused(page, 'id')) === 'content');
    while ((await focused(page)) !== 'Remove') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Remove 1 task?' }).waitFor();
    for (let press = 0; press < 5; press++) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(() => {
          const { activeElement, body } = (globalThis as any).document;
          return activeElement === body || activeElement.closest('dialog') !== null;
        }),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await eventually(async () => (await focused(page)) === 'Remove');
    gate.open();
  });

  it('turns light or dark as the reader says, and stays so', async () => {
    const { url } = await start();
    const { page } = await visit(url, { colorScheme: 'light' });
    const ground = () =>
      page.evaluate(() => {
        const { document, getComputedStyle } = globalThis as any;
        return getComputedStyle(document.documentElement).backgroundColor;
      });
    await page.getByRole('button', { name: 'Dark' }).waitFor();
    const light = await ground();
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await ground()).toBe(dark);
    await page.getByRole('button', { name: 'As the system' }).click();
    expect(await ground()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).toBe(dark);
    gate.open();
  });
});
