import { describe, expect, it } from '@jest/globals';
import type { Task } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { gate } from './fixtures/gate.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;
const port = Number(new URL(url).port);

/** Every claim carries the name of its runner, which holds the process. */
const claim = `:${process.pid}:`;

/** A worker whose replies may get lost, and an application beside it that only enqueues. Only the bell wakes the worker. */
async function startedWith(concurrency: number, act?: (params: number, task: Task) => unknown) {
  const proxy = await TcpProxy.to(port);
  const { Counting, runs, queue } = counting(act);
  const prefix = newPrefix();
  const worker = await startApp({
    providers: [Counting],
    options: { backend: proxy.url, prefix, runner: { concurrency, pollInterval: '10m' } },
    realTime: true,
  });
  const web = await startApp({ options: { backend: url, prefix, runner: false }, realTime: true });
  // What every connection does first is over.
  await web.jobs.enqueue(Counting, 0);
  await eventually(() => runs.length === 1);
  await eventually(() => isDone(web.catalog, queue));
  return { proxy, worker, web, Counting, runs, queue };
}

// With many slots a runner has two exchanges under way.
describe.each([10, 64])('A reply of Redis that gets lost, with %d slots,', (concurrency) => {
  const started = (act?: Parameters<typeof startedWith>[1]) => startedWith(concurrency, act);

  it('costs a claimed task no attempt: the runner gives it back and has it again', async () => {
    const attempts: number[] = [];
    const { proxy, web, Counting, runs, queue } = await started((_, task) => attempts.push(task.attempt));
    const lost = proxy.loseReplyTo(claim);
    await web.jobs.bulk((bulk) => {
      for (let n = 1; n <= 5; n++) bulk.enqueue(Counting, n);
    });
    await lost;
    await eventually(() => new Set(runs).size === 6);
    await eventually(() => isDone(web.catalog, queue));
    expect([...runs].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(attempts).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('does not make a task run again whose outcome was stored', async () => {
    const end = gate();
    const { proxy, web, Counting, runs, queue } = await started((n) => (n > 0 ? end.opened : undefined));
    const { id } = await web.jobs.enqueue(Counting, 1);
    await eventually(async () => (await web.catalog.counts(queue)).pending === 1);
    // From now on only the outcome names the task.
    const lost = proxy.loseReplyTo(id);
    end.open();
    await lost;
    await eventually(() => isDone(web.catalog, queue));
    // The runner goes on, and takes the outcome for stored.
    await web.jobs.enqueue(Counting, 2);
    await eventually(() => runs.includes(2));
    await eventually(() => isDone(web.catalog, queue));
    expect(runs).toEqual([0, 1, 2]);
  });

  it('of an enqueue is asked for again, and the task is there once', async () => {
    const proxy = await TcpProxy.to(port);
    const { Counting, queue } = counting();
    const { jobs, catalog } = await startApp({
      options: { backend: proxy.url, prefix: newPrefix(), runner: false },
      realTime: true,
    });
    await jobs.enqueue(Counting, 1);
    const lost = proxy.loseReplyTo('424242');
    const enqueued = await jobs.enqueue(Counting, 424_242);
    await lost;
    expect(enqueued.status).toBe('enqueued');
    const params = (await catalog.tasks({ queue, state: 'waiting' })).tasks.map((task) => task.paramsText);
    expect(params.sort()).toEqual(['1', '424242']);
  });
});
