import { describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { eventually } from '../support/app.js';
import { focused, visit } from '../support/browser.js';
import { startDashboard } from './fixtures/dashboard-stage.js';
import { Idle, pageJobs } from './fixtures/page-jobs.js';

const menuName = 'All that match …';

async function start(before?: (app: INestApplication) => void) {
  const app = await startDashboard({ providers: pageJobs, jobs: { runner: false }, before });
  return {
    ...app,
    async fill(count: number, nameOf = (at: number) => `idle-${at}`) {
      await app.jobs.bulk((bulk) => {
        for (let at = 0; at < count; at++) bulk.enqueue(Idle, { at }, { id: nameOf(at), in: '1h' });
      });
    },
    async open(view = 'state=scheduled') {
      const { page } = await visit(`${app.url}#/tasks?${view}`);
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      return { page, button, menu: page.getByText(menuName) };
    },
  };
}

describe('The menu for all that match', () => {
  it('closes on Esc and gives the focus back, and when somebody clicks or goes elsewhere', async () => {
    const { fill, open } = await start();
    await fill(1);
    const { page, menu, button } = await open();
    await page.getByText('1 task, no more').waitFor();
    const isOpen = () => button('Run now all').isVisible();
    const openByKey = async () => {
      await menu.focus();
      await page.keyboard.press('Enter');
      await button('Run now all').waitFor();
    };

    await openByKey();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Run now all');
    await page.keyboard.press('Escape');
    await eventually(async () => !(await isOpen()));
    expect(await focused(page)).toBe(menuName);

    await openByKey();
    await page.getByRole('heading', { name: 'Tasks' }).click();
    await eventually(async () => !(await isOpen()));

    await openByKey();
    await page.keyboard.press('Shift+Tab');
    await eventually(async () => !(await isOpen()));
    expect(await focused(page)).not.toBe(menuName);
  });

  it('has the focus again when the question that it led to is closed', async () => {
    const { fill, open, catalog } = await start();
    await fill(1);
    const { page, menu, button } = await open();
    await page.getByText('1 task, no more').waitFor();
    await menu.click();
    await button('Run now all').click();
    await page.getByRole('dialog', { name: 'Run now 1 task?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () => (await focused(page)) === menuName);
    expect((await catalog.counts()).scheduled).toBe(1);
  });

  it('says which of all tasks are meant', async () => {
    const { fill, open } = await start();
    await fill(1);
    const { page, menu, button } = await open('');
    await page.getByText('1 task, no more').waitFor();
    await menu.click();
    await button('Run now all').click();
    await page.getByText('All scheduled tasks. They are due at once').waitFor();
  });
});

describe('A selection', () => {
  it('of tasks with long ids goes through the body parser that Express has by default', async () => {
    const { fill, open, catalog } = await start();
    await fill(600, (at) => `${at}-`.padEnd(250, 'ü'));
    const { page, button } = await open();
    await eventually(async () => {
      await page.keyboard.press('End');
      return page.getByText('600 tasks, no more').isVisible();
    });
    await page.getByLabel(/^Select the/).check();
    await page.getByText('600 tasks selected').waitFor();
    await button('Cancel').click();
    await button('Cancel 600 tasks').click();
    await page.getByText('600 tasks cancelled.').waitFor();
    expect((await catalog.counts()).cancelled).toBe(600);
  });

  it('that is too large for the application all the same is told so, with what to change', async () => {
    const { fill, open } = await start((app) =>
      (app as NestExpressApplication).useBodyParser('json', { limit: '1kb' }),
    );
    await fill(20, (at) => `${at}-`.padEnd(100, 'x'));
    const { page, button } = await open();
    await page.getByText('20 tasks, no more').waitFor();
    await page.getByLabel(/^Select the/).check();
    await button('Cancel').click();
    await page.getByRole('alert').filter({ hasText: 'body parser' }).waitFor();
  });
});
