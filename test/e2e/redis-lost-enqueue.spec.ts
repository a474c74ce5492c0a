import { describe, expect, it } from '@jest/globals';
import { eventually, startApp } from '../support/app.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;

const unique = { unique: { lock: 'until_completed' } } as const;

describe('An enqueue whose reply gets lost', () => {
  it.each([
    ['makes no second task', {}, ['enqueued', 'enqueued']],
    [
      'of a unique job makes no second task, and knows whom the lock turned away',
      unique,
      ['enqueued', 'rejected'],
    ],
  ])('%s when the first has run and gone before the repeat', async (_what, options, statuses) => {
    const proxy = await TcpProxy.to(Number(new URL(url).port));
    const { Counting, runs, queue } = counting();
    const prefix = newPrefix();
    const worker = await startApp({
      providers: [Counting],
      options: { backend: url, prefix },
      realTime: true,
    });
    const web = await startApp({
      options: { backend: proxy.url, prefix, runner: false, enqueueTimeout: '30s' },
      realTime: true,
    });
    await web.jobs.enqueue(Counting, 1, options);
    await eventually(() => isDone(worker.catalog, queue));
    const lost = proxy.loseReplyTo('424242');
    const enqueued = [1, 2].map(() => web.jobs.enqueue(Counting, 424_242, options));
    await lost;
    proxy.refuse();
    await eventually(() => runs.includes(424_242));
    await eventually(() => isDone(worker.catalog, queue));
    proxy.pass();
    const [first, second] = await Promise.all(enqueued);
    expect([first!.status, second!.status]).toEqual(statuses);
    expect(second!.holder).toBe(options === unique ? first!.id : undefined);
    // Whatever the repeat made would be run before what is enqueued after it.
    await web.jobs.enqueue(Counting, 2, options);
    await eventually(() => runs.includes(2));
    await eventually(() => isDone(worker.catalog, queue));
    expect(runs).toEqual([1, ...Array<number>(options === unique ? 1 : 2).fill(424_242), 2]);
  });
});
