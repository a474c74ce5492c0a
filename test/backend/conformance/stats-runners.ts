import { describe, expect, it } from '@jest/globals';
import type { Setup } from './setup.js';
import { withStats } from './stats-setup.js';

export function describeStatsOfRunners(setup: Setup): void {
  describe('live runners', () => {
    it(
      'are those that have reported, as they said last',
      withStats(
        setup,
        async ({ queue, queueNamed, runner, runnerName, report, live, advance, now, about }) => {
          expect(await live()).toBeUndefined();
          const startedAt = about(await now());
          await report();
          expect(await live()).toEqual({ ...runner(), startedAt, seenAt: startedAt });
          await advance(30_000);
          const changed = runner({
            queues: [
              { name: queue, concurrency: 3 },
              { name: queueNamed('other'), concurrency: 1 },
            ],
            running: 2,
            tasks: [
              { queue, id: 'a:b|c', job: 'Job', runningMs: 20_000 },
              { queue, id: '\u{1f600}"', job: 'Mail', runningMs: 5 },
            ],
          });
          await report({ runner: changed });
          await report({ runner: runner({ name: `${runnerName}-2`, host: 'host-2', pid: 1 }) });
          expect(await live()).toEqual({ ...changed, startedAt, seenAt: about(await now()) });
          expect(await live(`${runnerName}-2`)).toMatchObject({
            host: 'host-2',
            pid: 1,
            startedAt: about(await now()),
          });
        },
      ),
    );

    it(
      'may run as many tasks at once as there are',
      withStats(setup, async ({ queue, runner, report, live }) => {
        const endless = runner({ concurrency: Infinity, queues: [{ name: queue, concurrency: Infinity }] });
        await report({ runner: endless });
        expect(await live()).toMatchObject(endless);
      }),
    );

    it(
      'are no longer those that have left, until they report again',
      withStats(setup, async ({ stats, runner, runnerName, report, live, advance, now, about }) => {
        const other = `${runnerName}-2`;
        await report();
        await report({ runner: runner({ name: other }) });
        await stats.leave(runnerName);
        expect(await live()).toBeUndefined();
        expect(await live(other)).toBeDefined();
        await stats.leave(runnerName);
        await stats.leave(`${runnerName}-unknown`);
        await advance(10_000);
        await report();
        expect(await live()).toMatchObject({ startedAt: about(await now()), seenAt: about(await now()) });
      }),
    );

    it(
      'are no longer those that have been silent for as long as they said',
      withStats(setup, async (bundle) => {
        const { runner, runnerName, report, live, advance, advanceToJustBefore } = bundle;
        const patient = `${runnerName}-patient`;
        await report({ aliveMs: 60_000 });
        await report({ runner: runner({ name: patient }), aliveMs: 600_000 });
        const missing = await advanceToJustBefore(60_000);
        expect(await live()).toBeDefined();
        await report({ aliveMs: 60_000 });
        await advance(missing);
        expect(await live()).toBeDefined();
        await advance(60_000);
        expect(await live()).toBeUndefined();
        expect(await live(patient)).toBeDefined();
        await advance(600_000);
        expect(await live(patient)).toBeUndefined();
        await report();
        expect(await live()).toBeDefined();
      }),
    );
  });
}
