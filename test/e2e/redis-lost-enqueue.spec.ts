import { describe, expect, it } from '@jest/globals';
import { eventually, startApp } from '../support/app.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;

describe('An enqueue whose reply gets lost', () => {
  it('makes no second task when the first has run and gone before the repeat', async () => {
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
    await web.jobs.enqueue(Counting, 1);
    await eventually(() => isDone(worker.catalog, queue));
    const lost = proxy.loseReplyTo('424242');
    const enqueued = web.jobs.enqueue(Counting, 424_242);
    await lost;
    proxy.refuse();
    await eventually(() => runs.includes(424_242));
    await eventually(() => isDone(worker.catalog, queue));
    proxy.pass();
    expect((await enqueued).status).toBe('enqueued');
    // Whatever the repeat made would be run before what is enqueued after it.
    await web.jobs.enqueue(Counting, 2);
    await eventually(() => runs.includes(2));
    await eventually(() => isDone(worker.catalog, queue));
    expect(runs).toEqual([1, 424_242, 2]);
  });
});
