import { describe, expect, it } from '@jest/globals';
import { EnqueueFailedError } from 'nestjs-jobs';
import { eventually, settled, startApp } from '../support/app.js';
import { watchingTimers } from '../support/open-timers.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { counting, newPrefix } from './fixtures/redis-jobs.js';

describe('The close of an application whose Redis is down', () => {
  it.each([false, {}])('settles what waits for it, and leaves no timer: runner %j', async (runner) => {
    const server = await ownRedis();
    await adminOf(server.url).ping();
    await watchingTimers(async (open) => {
      const { Counting } = counting();
      const { app, jobs } = await startApp({
        providers: [Counting],
        options: { backend: server.url, prefix: newPrefix(), enqueueTimeout: '1h', runner },
        realTime: true,
      });
      await server.kill('SIGKILL');
      let isSettled = false;
      const calls = [1, 2, 3].map((n) => jobs.enqueue(Counting, n));
      const settling = Promise.allSettled(calls).then((results) => {
        isSettled = true;
        return results;
      });
      // They are being tried again, with pauses that grow.
      const beganAt = Date.now();
      await eventually(() => Date.now() - beganAt > 500);
      expect(isSettled).toBe(false);
      expect(open()).toBeGreaterThan(0);
      await app.close();
      for (const result of await settling)
        expect(result).toMatchObject({ reason: expect.any(EnqueueFailedError) });
      // The client's own timer for a disconnect is over in a moment, those of an enqueue would last for an hour.
      await eventually(async () => {
        await settled();
        return open() === 0;
      });
    });
  });
});
