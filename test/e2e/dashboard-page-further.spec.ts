import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { IsArray, IsOptional } from 'class-validator';
import { Job, memoryBackend } from 'nestjs-jobs';
import type { Page } from 'playwright-core';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { closeGate, Dig, gate, LoseLetter } from './fixtures/dashboard-jobs.js';
import { startDashboard } from './fixtures/dashboard-stage.js';
import { Idle, pageJobs } from './fixtures/page-jobs.js';

const stop = { jobs: { runner: false }, providers: pageJobs } as const;
const back = (page: Page) => page.evaluate(() => (globalThis as any).history.back());
const scrolled = (page: Page) => page.evaluate(() => (globalThis as any).scrollY as number);

class NotedParams {
  @IsOptional() @IsArray() notes?: unknown[];
}

@Job({ queue: 'orders', params: NotedParams })
class Note {
  run(_: NotedParams) {}
}

describe('Whoever comes back from a task', () => {
  it('finds the list as he left it, by the Back button, and its filters by the link', async () => {
    const { url, jobs } = await startDashboard(stop);
    await jobs.bulk((bulk) => {
      for (let at = 0; at < 400; at++)
        bulk.enqueue(Idle, { at }, { id: `idle-${at}`, at: new Date(2_000_000_000_000 + at) });
    });
    const { page } = await visit(`${url}#/tasks?state=scheduled&order=oldest&text=idle`);
    await page.getByText('idle-0', { exact: true }).waitFor();
    await eventually(async () => {
      await page.keyboard.press('End');
      return page.getByText('400 tasks, no more').isVisible();
    });
    await page.getByText('idle-399', { exact: true }).waitFor();
    const before = await scrolled(page);
    await page.getByRole('row').filter({ hasText: 'idle-399' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Idle' }).waitFor();
    expect(await page.title()).toBe('Idle idle-399 · Jobs');
    await back(page);
    await page.getByText('idle-399', { exact: true }).waitFor();
    await eventually(async () => Math.abs((await scrolled(page)) - before) < 5);
    await page.getByRole('row').filter({ hasText: 'idle-399' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Idle' }).waitFor();
    await page.locator('a.back').click();
    await page.getByText('idle-0', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/tasks?state=scheduled&order=oldest&text=idle');
  });
});

describe('More schedules than a page holds', () => {
  it('are all steered, and none stands there twice', async () => {
    const { url, jobs, catalog } = await startDashboard(stop);
    for (let at = 0; at < 120; at++)
      await jobs.enqueue(
        Idle,
        { at },
        { id: `every-${at}`, every: '1h', from: new Date(2_000_000_000_000 + at * 1_000) },
      );
    const { page } = await visit(`${url}#/schedules?job=Idle`);
    const row = page.getByRole('row').filter({ hasText: 'every-119' });
    await page.getByText('every-0', { exact: true }).waitFor();
    expect(await row.count()).toBe(0);
    await page.getByRole('button', { name: 'Show more schedules' }).click();
    await row.getByRole('button', { name: 'Pause Idle' }).click();
    await row.getByRole('button', { name: 'Resume Idle' }).waitFor();
    expect((await catalog.schedules({ isPaused: true })).schedules).toMatchObject([{ id: 'every-119' }]);
    // Paused, the first one goes to the end of the list.
    await page
      .getByRole('row')
      .filter({ hasText: /every-0\D/ })
      .getByRole('button', { name: 'Pause Idle' })
      .click();
    await page
      .getByRole('row')
      .filter({ hasText: /every-0\D/ })
      .getByRole('button', { name: 'Resume Idle' })
      .waitFor();
    const ids = await page.locator('tbody .mono').allTextContents();
    expect([ids.length, new Set(ids).size]).toEqual([120, 120]);
  });

  it('are searched to the end, where one answer has not looked at all of them', async () => {
    const backend = memoryBackend();
    const { list } = backend.schedules;
    backend.schedules.list = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return list.apply(backend.schedules, args);
    };
    const { url, jobs, get } = await startDashboard({ ...stop, jobs: { runner: false, backend } });
    for (let at = 0; at < 900; at++)
      await jobs.enqueue(
        Idle,
        { at },
        { id: `every-${at}`, every: '1h', from: new Date(2_000_000_000_000 + at * 1_000) },
      );
    expect((await get('schedules?text=every-899')).body).toMatchObject({ schedules: [], isComplete: false });
    const { page } = await visit(`${url}#/schedules?text=every-899`);
    await page.getByText('every-899', { exact: true }).waitFor();
  });
});

describe('What is wrong', () => {
  it('is to be seen from every page, with its names as code', async () => {
    const { url, jobs } = await startDashboard(stop);
    await jobs.enqueue(Idle);
    const { page } = await visit(`${url}#/jobs`);
    await page.getByRole('link', { name: 'Overview 1 wrong' }).waitFor();
    await eventually(async () => (await page.title()) === '(1) Jobs · Jobs');
    await page.getByRole('link', { name: 'Overview 1 wrong' }).click();
    const wrong = page.getByRole('list', { name: 'What is wrong' });
    await wrong.locator('code', { hasText: 'runner.queues' }).waitFor();
    expect(await wrong.textContent()).not.toContain('`');
  });

  it('comes first where there are more queues than the overview shows', async () => {
    const { url, jobs } = await startDashboard({ ...stop, dashboard: { troubles: { oldestWaiting: '1h' } } });
    for (let at = 10; at < 40; at++) await jobs.enqueue(Idle, undefined, { queue: `queue-${at}`, in: '1h' });
    await jobs.enqueue(Idle, undefined, { queue: 'queue-39' });
    const { page } = await visit(url);
    const queues = page.getByRole('region', { name: 'Queues' });
    await queues.getByText(/the 12 most pressing of 3\d/).waitFor();
    expect(await queues.locator('tbody tr').count()).toBe(12);
    await queues.getByRole('link', { name: 'queue-39' }).waitFor();
    await queues.getByRole('link', { name: 'All about the queues' }).click();
    await page.getByRole('link', { name: 'queue-25', exact: true }).waitFor();
  });
});

describe('The order of tasks', () => {
  it('is called what it is', async () => {
    const { url, jobs } = await startDashboard(stop);
    for (let at = 10; at < 36; at++) await jobs.enqueue(Idle, undefined, { queue: `queue-${at}`, in: '1h' });
    await jobs.enqueue(Idle);
    const { page } = await visit(`${url}#/tasks?state=dead`);
    const order = (name: string) => page.getByRole('button', { name, exact: true }).waitFor();
    await order('Latest first');
    await page.goto(`${url}#/tasks?state=waiting`);
    await order('Last to run first');
    await page.goto(`${url}#/tasks?state=scheduled`);
    await order('Latest first, 25 queues at a time');
    await page.goto(`${url}#/tasks?state=scheduled&queue=queue-10`);
    await order('Latest first');
    await page.goto(`${url}#/tasks`);
    await order('Latest first, state by state, 25 queues at a time');
  });
});

describe('An action on many', () => {
  it('that is stopped closes nothing but itself, and one that fails tells how far it came', async () => {
    const held: (() => void)[] = [];
    let mode: 'hold' | 'fail' | 'pass' = 'hold';
    let acts = 0;
    const { url, jobs } = await startDashboard({
      ...stop,
      before: (app) =>
        app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
          if (!request.url!.endsWith('/tasks/act')) return next();
          acts++;
          if (mode === 'hold') held.push(next);
          else if (mode === 'fail' && acts % 2 === 0) response.writeHead(500).end();
          else next();
        }),
    });
    for (let at = 0; at < 700; at++) await jobs.enqueue(Idle, { at }, { id: `idle-${at}`, in: '1h' });
    const { page } = await visit(`${url}#/tasks?state=scheduled&order=oldest`);
    const bar = page.getByRole('group', { name: 'What to do with the selected tasks' });
    await page.getByLabel('Select Idle idle-0', { exact: true }).check();
    await bar.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('button', { name: 'Run now 1 task' }).click();
    await eventually(() => held.length === 1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByLabel('Select Idle idle-1', { exact: true }).check();
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog', { name: 'Cancel 1 task?' }).waitFor();
    for (const go of held) go();
    await page.getByText('1 task made due now.').waitFor();
    expect(await page.getByRole('dialog', { name: 'Cancel 1 task?' }).count()).toBe(1);
    expect(await page.getByText('1 task selected').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await page.getByText('idle-0', { exact: true }).waitFor({ state: 'detached' });

    [mode, acts] = ['fail', 0];
    await eventually(async () => {
      await page.keyboard.press('End');
      return page.getByText('699 tasks, no more').isVisible();
    }, 40_000);
    await page.keyboard.press('Home');
    await page.getByLabel(/Select the 699 tasks/).check();
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel 699 tasks' }).click();
    await page.getByText('500 of 699 dealt with, then: The application answered 500.').waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => {
      await page.keyboard.press('End');
      return page.getByText('199 tasks, no more').isVisible();
    });
  }, 120_000);
});

describe('A list of the form', () => {
  it('keeps what is no JSON when an item is added to it', async () => {
    const { url } = await startDashboard({ ...stop, providers: [...pageJobs, Note] });
    const { page } = await visit(`${url}#/enqueue?job=Note`);
    await page.getByRole('button', { name: 'Add to notes' }).click();
    await page.getByLabel('notes 1', { exact: false }).first().fill('{"a": oops}');
    await page.locator('.field-error').first().waitFor();
    await page.getByRole('button', { name: 'Add to notes' }).click();
    await page.getByLabel('notes 2', { exact: false }).first().waitFor();
    expect(await page.locator('textarea').first().inputValue()).toBe('{"a": oops}');
    expect(await page.locator('.field-error').count()).toBe(1);
  });
});

describe('A page that is open', () => {
  it('has one clock for all the times on view', async () => {
    const { url, jobs, catalog } = await startDashboard({ providers: [LoseLetter] });
    for (const letter of 'abcdefghijklmnopqrstuvwxyz')
      await jobs.enqueue(LoseLetter, { why: `no ${letter}` });
    await eventually(async () => (await catalog.counts('mail')).dead === 26);
    const { page } = await visit(`${url}#/failures`);
    await page.addInitScript(() => {
      const own = globalThis as any;
      const { setInterval, clearInterval } = own;
      own.clocks = new Set();
      own.setInterval = (...args: unknown[]) => {
        const made = setInterval(...args);
        own.clocks.add(made);
        return made;
      };
      own.clearInterval = (made: unknown) => {
        own.clocks.delete(made);
        clearInterval(made);
      };
    });
    await page.reload();
    await eventually(async () => (await page.locator('.group time').count()) === 52);
    expect(await page.evaluate(() => (globalThis as any).clocks.size)).toBeLessThan(5);
    const before = await page.locator('.group time').first().textContent();
    await eventually(async () => (await page.locator('.group time').first().textContent()) !== before);
  });

  it('asks for what it shows, and not for all the rest at every change', async () => {
    const asked: string[] = [];
    const { url, jobs } = await startDashboard(stop);
    const { page } = await visit(`${url}#/tasks`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('There is no task.').waitFor();
    const tally = (count: number) =>
      page.getByRole('link', { name: 'Tasks' }).locator('.tally', { hasText: new RegExp(`^${count}$`) });
    await jobs.enqueue(Idle);
    await tally(1).waitFor();
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace(/.*\//, '')));
    for (const count of [2, 3, 4]) {
      await jobs.enqueue(Idle);
      await tally(count).waitFor();
    }
    await page.getByText('4 tasks, no more').waitFor();
    expect([...new Set(asked)]).toEqual(['tasks']);
  });
});

describe('A time', () => {
  it('stands in the zone of the reader, and exactly where he points at it', async () => {
    const { url, jobs, catalog } = await startDashboard(stop);
    const { id } = await jobs.enqueue(Idle, undefined, { at: new Date('2033-05-18T03:33:20.123Z') });
    const { page } = await visit(`${url}#/task?queue=orders&id=${id}`, {
      timezoneId: 'Asia/Kolkata',
      locale: 'en-GB',
    });
    await page
      .getByRole('region', { name: 'Timeline' })
      .getByText(/18 May 2033, 09:03:20/)
      .waitFor();
    const due = page.getByRole('complementary', { name: 'Facts' }).locator('time').nth(1);
    expect(await due.getAttribute('title')).toMatch(
      /^Wed.* 18 May 2033.* 09:03:20\.123 (GMT\+5:30|IST) \(2033-05-18T03:33:20\.123Z\)$/,
    );
    expect((await catalog.task(id))?.dueAt.toISOString()).toBe('2033-05-18T03:33:20.123Z');
  });
});

/** Holds a lock while it runs. */
@Job({ queue: 'slow', unique: { lock: 'until_completed', by: () => 'the hole' } })
class DigAlone extends Dig {}

describe('A task that runs', () => {
  it('tells its lock and its runner, and is cancelled', async () => {
    closeGate();
    const { url, jobs, catalog } = await startDashboard({ providers: [DigAlone] });
    const { id } = await jobs.enqueue(DigAlone);
    await eventually(async () => (await catalog.task(id))?.state === 'pending');
    const { page } = await visit(`${url}#/task?queue=slow&id=${id}`);
    const facts = page.getByRole('complementary', { name: 'Facts' });
    await facts.getByText('until_completed').waitFor();
    await facts.getByText('this task').waitFor();
    const [runner] = await catalog.runners();
    await facts.getByText(runner!.name).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel 1 task' }).click();
    await page.getByText('1 asked to stop.').waitFor();
    await page.getByRole('region', { name: 'Timeline' }).getByText('Cancelled', { exact: true }).waitFor();
    gate.open();
  });
});

describe('A schedule', () => {
  it('tells how its last slots ended', async () => {
    const { url, jobs, catalog, get } = await startDashboard({ providers: pageJobs });
    const { id } = await jobs.enqueue(Idle, undefined, { every: '1s' });
    await eventually(
      async () => ((await catalog.schedule({ queue: 'orders', id }))?.lastSlots.length ?? 0) > 0,
    );
    const { body } = await get(`schedule?queue=orders&id=${encodeURIComponent(id)}`);
    expect(body.lastSlots[0]).toMatchObject({ outcome: 'succeeded', task: expect.any(String) });
    const { page } = await visit(`${url}#/schedule?queue=orders&id=${encodeURIComponent(id)}`);
    const last = page.getByRole('region', { name: 'Last slots' });
    await last.getByText('succeeded').first().waitFor();
  });
});
