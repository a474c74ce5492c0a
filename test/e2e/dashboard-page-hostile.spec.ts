import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Job, type Task } from 'nestjs-jobs';
import { eventually } from '../support/app.js';
import { visit } from '../support/browser.js';
import { closeGate, gate } from './fixtures/dashboard-jobs.js';
import { places, startDashboard, type AdapterName } from './fixtures/dashboard-stage.js';

/** Text that would run, or be refused by the policy, where any of it became markup, an attribute or an address. */
const hostile = (where: string) =>
  `${where}"'><img src=x onerror=alert()><script>alert()</script><a href="javascript:alert()">`;
const stages: [string, AdapterName][] = [
  ['memory', 'express'],
  ['redis', 'fastify'],
  ['postgres', 'express'],
];
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

describe.each(stages)('Text full of markup, on %s,', (place, adapter) => {
  it('is shown as it is on every page, and runs nowhere', async () => {
    closeGate();
    const { url, jobs, catalog } = await startDashboard({
      adapter,
      providers: [Dies, Runs, Recurs],
      jobs: await places[place]!(),
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
      [at('tasks', { text: 'onerror=alert()', queue, job: hostile('dying job') }), ['dying job', 'dead id']],
      [at('tasks', { error: hostile('filter') }), ['filter']],
      [
        at('task', { queue, id: dead.id }),
        ['dead id', 'error name', 'error message', 'stack', 'line', 'key', 'param'],
      ],
      [at('task', { queue, id: running.id }), ['running id', 'note']],
      [at('task', { queue, id: hostile('nobody') }), ['title']],
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
        const text = hostile(where);
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
          images: document.querySelectorAll('img').length,
          inline: document.querySelectorAll('body script, [onerror], [onclick]').length,
          links: [...document.links].map(({ href }) => href).filter((href) => !href.startsWith(own)),
        };
      });
      expect({ address, ...made }).toEqual({ address, images: 0, inline: 0, links: [] });
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
  });
});

describe.each(stages)('A page of another origin, on %s,', (place, adapter) => {
  it('changes nothing, whatever it sends from the browser of somebody who may', async () => {
    const { url, catalog, jobs } = await startDashboard({
      adapter,
      providers: [Runs],
      jobs: { runner: false, ...(await places[place]!()) },
    });
    await jobs.enqueue(Runs, undefined, { in: '1h' });
    const other = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<h1>Free tea</h1>'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { page: own } = await visit(url);
      await own.getByText('Live', { exact: true }).waitFor();
      const { page, faults } = await visit(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      const seen = await page.evaluate(async (address) => {
        const answers: string[] = [];
        for (const mode of ['cors', 'no-cors'] as const)
          for (const type of ['application/json', 'text/plain']) {
            const body = JSON.stringify({ action: 'pause', queue: 'hostile' });
            const sent = {
              method: 'POST',
              mode,
              body,
              credentials: 'include',
              headers: { 'content-type': type },
            } as const;
            answers.push(
              await fetch(address, sent).then(
                async (answer) => `${answer.type} ${await answer.text()}`,
                () => 'refused',
              ),
            );
          }
        return answers;
      }, `${url}api/v1/queues/act`);
      expect(seen).toEqual(Array(4).fill('refused'));
      expect(await catalog.isPaused(queue)).toBe(false);
      // What this page tried is what it is here for.
      expect(faults.splice(0).length).toBeGreaterThan(0);
    } finally {
      other.close();
    }
  });
});
