import { describe, expect, it } from '@jest/globals';
import { Job, type Clock } from 'nestjs-jobs';
import { start } from './fixtures/start.js';
import { sweeping } from './fixtures/sweeping.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const pollIntervalMs = 500;

describe('a runner that is full all the time', () => {
  it.each([1, 10, 64])(
    'sweeps once per poll interval, not at every exchange, with %d slots',
    async (slots) => {
      let clock: Clock;
      const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
      @Job({ name: 'Short' })
      class Short {
        run(): Promise<void> {
          return sleep(50);
        }
      }
      const troubled = new TroubledStore();
      let sweeps = 0;
      troubled.trouble.claim = (go, { declares }) => {
        if (declares) sweeps++;
        return go();
      };
      const app = await start({
        providers: [Short],
        before: (store) => sweeping(troubled.before(store)),
        options: { runner: { concurrency: slots, pollInterval: pollIntervalMs, autoStart: false } },
      });
      ({ clock } = app);
      const rounds = 10;
      await app.jobs.bulk((bulk) => {
        for (let n = 0; n < slots * (rounds + 1) * (pollIntervalMs / 50); n++) bulk.enqueue(Short);
      });
      await app.runner.start();
      await app.advance(0);
      sweeps = troubled.calls.claim = 0;
      await app.advance(rounds * pollIntervalMs);
      expect(await app.catalog.counts('default')).toMatchObject({ pending: slots });
      expect(troubled.calls.claim).toBeGreaterThan(5 * rounds);
      // Each comes up to a quarter of the interval early.
      expect(sweeps).toBeLessThanOrEqual(1.5 * rounds);
      expect(sweeps).toBeGreaterThanOrEqual(rounds / 2);
    },
  );
});
