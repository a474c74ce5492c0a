import { describe, expect, it } from '@jest/globals';
import { Job, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { closeGate, gate } from './fixtures/dashboard-jobs.js';
import { startDashboard } from './fixtures/dashboard-stage.js';

/** Text that would run where any of it became markup, an attribute or an address. */
const hostile = (where: string) =>
  `${where}"'><img src=x onerror=hacked=1><script>hacked=1</script><a href="javascript:hacked=1">x</a>`;
/** Nothing else is a queue's name. */
const queue = 'hostile';

class HostileError extends Error {
  override name = hostile('error name');
  override stack = hostile('stack');
}

@Job({
  name: hostile('dying job'),
  queue,
  retries: 0,
  unique: { lock: 'until_completed', by: () => hostile('lock') },
})
class Dies {
  run(_: unknown, task: Task) {
    task.log(hostile('line'));
    throw new HostileError(hostile('error message'));
  }
}

@Job({ name: hostile('running job'), queue, keep: '1h' })
class Runs {
  async run(_: unknown, task: Task) {
    task.progress(50, hostile('note'));
    await gate.waits;
    return { [hostile('result key')]: hostile('result') };
  }
}

@Job({ name: hostile('recurring job'), queue })
class Recurs {
  run(_: { a: string }) {}
}

describe('Text full of markup', () => {
  it('is shown as it is on every page, and runs nowhere', async () => {
    closeGate();
    const { url, jobs, catalog } = await startDashboard({
      providers: [Dies, Runs, Recurs],
      dashboard: {
        title: hostile('title'),
        user: () => hostile('user'),
        authorize: () => ['operate', 'enqueue'],
      },
    });
    const dead = await jobs.enqueue(Dies, { [hostile('key')]: hostile('param') }, { id: hostile('dead id') });
    const running = await jobs.enqueue(Runs, undefined, { id: hostile('running id') });
    const schedule = await jobs.enqueue(
      Recurs,
      { a: hostile('template') },
      { id: hostile('schedule id'), every: '1h', from: new Date(Date.now() + 3_600_000) },
    );
    await eventually(async () => (await catalog.counts(queue)).dead === 1);
    await eventually(async () => (await catalog.counts(queue)).pending === 1);

    const { page } = await visit(url);
    const at = (name: string, query: Record<string, string>) =>
      `#/${name}?${new URLSearchParams(query).toString()}`;
    const views: [address: string, shows: string[]][] = [
      ['#/overview', ['running job', 'note', 'title', 'user']],
      ['#/tasks', ['dying job', 'dead id', 'error message', 'running id']],
      [at('tasks', { text: 'onerror=hacked', queue, job: hostile('dying job') }), ['dying job', 'dead id']],
      [at('tasks', { error: hostile('filter') }), ['filter']],
      [
        at('task', { queue, id: dead.id }),
        ['dead id', 'error name', 'error message', 'stack', 'line', 'key', 'param'],
      ],
      [at('task', { queue, id: running.id }), ['running id', 'note']],
      [at('task', { queue, id: hostile('nobody') }), ['nobody']],
      ['#/failures', ['dying job', 'error message']],
      ['#/schedules', ['recurring job', 'schedule id']],
      [at('schedule', { queue, id: schedule.id }), ['recurring job', 'schedule id', 'template']],
      ['#/queues', ['title']],
      ['#/jobs', ['dying job', 'running job', 'recurring job']],
      [at('enqueue', { job: hostile('dying job') }), ['dying job']],
      [`#/${hostile('page')}`, []],
    ];
    for (const [address, shows] of views) {
      await page.goto(`${url}${address}`);
      for (const where of shows) {
        const text = where === 'nobody' ? where : hostile(where);
        // Params are shown as JSON, in which quotes are escaped.
        const texts = [text, JSON.stringify(text).slice(1, -1)];
        await eventually(async () => {
          const shown = (await page.locator('body').textContent())!;
          return texts.some((text) => shown.includes(text));
        }, 15_000).catch(() => {
          throw new Error(`${address} does not show ${text}`);
        });
      }
      const made = await page.evaluate(() => {
        const { document, location } = globalThis as any;
        const own = location.href.split('#')[0];
        return {
          hacked: 'hacked' in globalThis,
          images: document.querySelectorAll('img').length,
          inline: document.querySelectorAll('body script, [onerror], [onclick]').length,
          links: [...document.links].map(({ href }) => href).filter((href) => !href.startsWith(own)),
        };
      });
      expect({ address, ...made }).toEqual({ address, hacked: false, images: 0, inline: 0, links: [] });
    }

    gate.open();
    await eventually(async () => (await catalog.task({ queue, id: running.id }))?.state === 'succeeded');
    await page.goto(`${url}${at('task', { queue, id: running.id })}`);
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(await page.locator('body').textContent()).toContain(hostile('result key'));

    await page.goto(`${url}${at('task', { queue, id: dead.id })}`);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByRole('button', { name: 'Retry 1 task' }).click();
    await page.getByText('1 task to be retried.').waitFor();
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  });
});
