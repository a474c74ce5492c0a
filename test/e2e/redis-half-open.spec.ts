import { describe, expect, it } from '@jest/globals';
import { type Duration, EnqueueFailedError, StoreUnavailableError } from 'nestjs-jobs';
import { eventually, startApp } from '../support/app.js';
import { adminOf } from '../support/own-redis.js';
import { TcpProxy, type Silence } from '../support/tcp-proxy.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;
const admin = adminOf(url);

/** So rare that only the bell can wake a runner. */
const noSweep = '10m';

/** An application behind a proxy, which has run a task, or will. */
async function started(pollInterval: Duration, isRunning?: 'not yet') {
  const proxy = await TcpProxy.to(Number(new URL(url).port));
  const { Counting, runs, queue } = counting();
  const prefix = newPrefix();
  const app = await startApp({
    providers: [Counting],
    options: {
      backend: proxy.url,
      prefix,
      enqueueTimeout: '1s',
      runner: { pollInterval, autoStart: !isRunning },
    },
    realTime: true,
  });
  const isBellHeard = async () => {
    const before = runs.length;
    await app.jobs.enqueue(Counting, before);
    await eventually(() => runs.length > before);
  };
  if (!isRunning) await isBellHeard();
  const listeners = async () => Number((await admin.pubsub('NUMSUB', `${prefix}:{${queue}}:bell`))[1]);
  return { ...app, proxy, Counting, runs, queue, isBellHeard, listeners };
}

/** The error of a call, and how long it took. */
async function failureOf(call: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const since = performance.now();
  const error: unknown = await call().then(
    () => undefined,
    (error: unknown) => error,
  );
  return { error, ms: performance.now() - since };
}

describe('A connection that is half open', () => {
  it.each<Silence>(['both', 'requests', 'replies'])(
    'lets no call hang, and the application goes on by itself: %s lost',
    async (silence) => {
      const { jobs, catalog, proxy, Counting, queue, runs } = await started('500ms');
      proxy.hold(silence);
      const [enqueued, counted] = await Promise.all([
        failureOf(() => jobs.enqueue(Counting, 1_000)),
        failureOf(() => catalog.counts(queue)),
      ]);
      expect(enqueued.error).toBeInstanceOf(EnqueueFailedError);
      // The times are 1 s and 5 s; slow machines get some more.
      expect(enqueued.ms).toBeLessThan(4_000);
      expect(counted.error).toBeInstanceOf(StoreUnavailableError);
      expect(counted.ms).toBeLessThan(15_000);
      proxy.pass();
      await eventually(() =>
        jobs.enqueue(Counting, 2_000).then(
          () => true,
          () => false,
        ),
      );
      await eventually(() => runs.includes(2_000));
      await eventually(() => isDone(catalog, queue));
    },
  );

  it.each<Silence>(['both', 'requests', 'replies'])(
    'is made anew where it only listens, so that the bell is heard again: %s lost',
    async (silence) => {
      const { proxy, isBellHeard, listeners } = await started(noSweep);
      expect(await listeners()).toBe(1);
      proxy.hold(silence, 'subscribe');
      expect(proxy.held).toBe(1);
      await eventually(() => proxy.held === 0, 45_000);
      await eventually(async () => (await listeners()) === 1);
      await isBellHeard();
    },
  );

  it('does not keep a runner deaf that was started meanwhile', async () => {
    const { proxy, runner, lines, isBellHeard, listeners } = await started(noSweep, 'not yet');
    proxy.hold('both');
    proxy.cut();
    await runner.start();
    await eventually(() => lines.some(({ message }) => message.includes('the bell cannot be heard')));
    expect(await listeners()).toBe(0);
    proxy.pass();
    await eventually(async () => (await listeners()) === 1);
    await isBellHeard();
  });
});
