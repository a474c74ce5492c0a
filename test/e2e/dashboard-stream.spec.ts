import { expect, it } from '@jest/globals';
import { eventually } from '../support/app.js';
import { allJobs, closeGate, Dig, gate } from './fixtures/dashboard-jobs.js';
import { describeAdapters, listen, places, startDashboard } from './fixtures/dashboard-stage.js';

describeAdapters("The dashboard's stream", (adapter) => {
  const place = adapter === 'express' ? 'memory' : 'redis';
  const start = async (streams?: number) =>
    startDashboard({
      adapter,
      providers: allJobs,
      jobs: { runner: { queues: ['slow'] }, ...(await places[place]!()) },
      dashboard: { streams },
    });

  it('hints at what has changed, at most once a second, and is silent while nothing does', async () => {
    closeGate();
    const { url, jobs, catalog } = await start();
    const { events, answer, stop } = await listen(url);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toContain('no-transform');
    await eventually(() => events.length === 1);
    expect(events).toEqual([{ type: 'hello', data: { apiVersion: 1 } }]);

    const { id } = await jobs.enqueue(Dig);
    await eventually(() => events.some(({ type, data }) => type === 'changed' && data.counts.pending === 1));
    // Where the first look came late, the queues that were made known at the start are news as well.
    expect(events.findLast(({ type }) => type === 'changed')!.data.queues).toContain('slow');
    const beganAt = Date.now();
    const before = events.length;
    for (let at = 0; at < 40; at++) {
      await jobs.enqueue(Dig, undefined, { in: '1h' });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(events.length - before).toBeLessThanOrEqual(Math.ceil((Date.now() - beganAt) / 1_000) + 1);
    gate.open();
    await eventually(async () => (await catalog.task(id)) === undefined);
    await eventually(() => events.at(-1)!.data.counts?.pending === 0);
    stop();
  });

  it('is one of a bounded number', async () => {
    const { url, get } = await start(2);
    const [first, second] = [await listen(url), await listen(url)];
    const third = await listen(url);
    expect([first, second, third].map(({ answer }) => answer.status)).toEqual([200, 200, 429]);
    expect(((await third.answer.json()) as any).error.code).toBe('TOO_MANY_STREAMS');
    // Whoever has none polls.
    expect((await get('overview')).status).toBe(200);
    first.stop();
    await eventually(async () => {
      const next = await listen(url);
      next.stop();
      return next.answer.status === 200;
    });
    second.stop();
  });

  it('ends with the application, which does not wait for it', async () => {
    const { url, close } = await start();
    const { events, state } = await listen(url);
    await eventually(() => events.length === 1);
    const beganAt = Date.now();
    await close();
    expect(Date.now() - beganAt).toBeLessThan(5_000);
    await eventually(() => state.isOver);
    expect(events.at(-1)).toEqual({ type: 'bye', data: {} });
  });
});
