import { describe, expect, it } from '@jest/globals';
import { hour, minute } from './schedule-setup.js';
import { leaseMs, type Setup } from './setup.js';
import { nothing, total, withStats } from './stats-setup.js';

const day = 24 * hour;

/** Clocks move by whole minutes where minutes are looked at, and by whole hours where hours are. */
export function describeStatsOfRuns(setup: Setup): void {
  describe('counts of runs', () => {
    it(
      'add up over reports and runners, per job and per queue',
      withStats(setup, async ({ stats, queue, queueNamed, runner, runnerName, runs, report, jobs }) => {
        const other = queueNamed('other');
        await report({
          runs: [
            runs({ succeeded: 3, runMs: 300, waitMs: 30 }),
            runs({ job: 'Mail', failed: 2, dead: 1, runMs: 9, lastError: 'Error: refused' }),
            runs({ queue: other, cancelled: 4, lost: 5 }),
          ],
        });
        await report({ runs: [runs({ succeeded: 2, failed: 1, runMs: 50, waitMs: 5, lastError: 'E: a' })] });
        await report({
          runner: runner({ name: `${runnerName}-2` }),
          runs: [runs({ succeeded: 10, lost: 1, runMs: 1_000.5, waitMs: 0.25 })],
        });
        const [job, mail] = await jobs();
        expect(job).toMatchObject({
          ...{ queue, job: 'Job', succeeded: 15, failed: 1, dead: 0, cancelled: 0, lost: 1 },
          ...{ lastError: 'E: a' },
        });
        // A store may keep whole milliseconds.
        expect(Math.abs(job!.runMs - 1_350.5)).toBeLessThanOrEqual(1);
        expect(Math.abs(job!.waitMs - 35.25)).toBeLessThanOrEqual(1);
        expect(mail).toMatchObject({ ...nothing, queue, job: 'Mail', failed: 2, dead: 1, runMs: 9 });
        expect((await jobs([other])).map((one) => ({ ...one, lastRunAt: 0 }))).toEqual([
          { ...nothing, queue: other, job: 'Job', cancelled: 4, lost: 5, lastRunAt: 0 },
        ]);
        expect(await jobs([other, queue])).toHaveLength(3);
        for (const spans of Object.values(await stats.throughput(queue))) {
          const { runMs, waitMs, ...counts } = total(spans);
          expect(counts).toEqual({ succeeded: 15, failed: 3, dead: 1, cancelled: 0, lost: 1 });
          expect(Math.abs(runMs - 1_359.5)).toBeLessThanOrEqual(1);
          expect(Math.abs(waitMs - 35.25)).toBeLessThanOrEqual(1);
          // One, unless the clock has passed into another meanwhile.
          expect([1, 2]).toContain(spans.length);
        }
      }),
    );

    it(
      'are none of a queue in which nothing has run',
      withStats(setup, async ({ stats, queue, queueNamed, report, jobs }) => {
        await report();
        expect(await jobs([queue, queueNamed('unknown')])).toEqual([]);
        expect(await jobs([])).toEqual([]);
        expect(await stats.throughput(queue)).toEqual({ minutes: [], hours: [] });
      }),
    );

    it(
      'of many jobs and queues can be told at once, whatever a job is called',
      withStats(setup, async ({ queueNamed, runs, report, jobs }) => {
        const names = ['a:b|c', '\u{1f600} ü', '"', "'", ...Array.from({ length: 100 }, (_, n) => `J${n}`)];
        const queues = ['x', 'y', 'z'].map(queueNamed);
        await report({
          runs: queues.flatMap((queue, at) =>
            names.map((job) => runs({ queue, job, succeeded: at + 1, failed: 1, lastError: job })),
          ),
        });
        const figures = await jobs(queues);
        expect(figures).toHaveLength(3 * names.length);
        for (const [at, queue] of queues.entries()) {
          const own = figures.filter((one) => one.queue === queue);
          expect(own.map(({ job }) => job).toSorted()).toEqual(names.toSorted());
          expect(
            own.every(({ succeeded, job, lastError }) => succeeded === at + 1 && lastError === job),
          ).toBe(true);
        }
      }),
    );

    it(
      'hold runs of which no runner tells, as soon as a claim finds their leases ended, and once',
      withStats(setup, async ({ backend, stats, queue, start, claim, advance, jobs }) => {
        await start({ id: 'again', job: 'Mail', retries: 3 });
        await start({ id: 'last', job: 'Mail', retries: 0 });
        await start({ id: 'stopped', job: 'Print' });
        await backend.catalog.cancel([{ queue, id: 'stopped' }]);
        await advance(leaseMs);
        for (let claims = 0; claims < 2; claims++) {
          await claim({ limit: 0 });
          const [mail, print, ...others] = await jobs();
          expect(mail).toMatchObject({ ...nothing, job: 'Mail', lost: 2, dead: 1 });
          expect(mail!.lastError).toMatch(/^LeaseLostError: .* did not settle before its lease ended/);
          expect(mail!.lastFailureAt).toEqual(mail!.lastRunAt);
          expect(print).toMatchObject({ ...nothing, job: 'Print', lost: 1, cancelled: 1 });
          expect([print!.lastError, print!.lastFailureAt]).toEqual([undefined, undefined]);
          expect(others).toEqual([]);
        }
        const { minutes, hours } = await stats.throughput(queue);
        const all = { ...nothing, lost: 3, dead: 1, cancelled: 1 };
        expect([total(minutes), total(hours)]).toEqual([all, all]);
      }),
    );

    it(
      'told by many at once are all counted',
      withStats(setup, async ({ stats, queue, runs, report, jobs }) => {
        await Promise.all(
          Array.from({ length: 30 }, () => report({ runs: [runs({ succeeded: 1, waitMs: 2 })] })),
        );
        expect(await jobs()).toMatchObject([{ succeeded: 30, waitMs: 60 }]);
        const { minutes, hours } = await stats.throughput(queue);
        expect([total(minutes), total(hours)]).toMatchObject([{ succeeded: 30 }, { succeeded: 30 }]);
      }),
    );
  });

  describe('throughput of a queue', () => {
    it(
      'is told by minutes, oldest first, empty ones left out',
      withStats(setup, async ({ stats, queue, reportIn, advance }) => {
        const first = await reportIn(minute, { succeeded: 1 });
        await advance(2 * minute);
        const second = await reportIn(minute, { succeeded: 20, failed: 2, dead: 1, runMs: 7, waitMs: 3 });
        await advance(30 * minute);
        const third = await reportIn(minute, { cancelled: 3 });
        expect((await stats.throughput(queue)).minutes).toEqual([
          { ...nothing, at: first, succeeded: 1 },
          { ...nothing, at: second, succeeded: 20, failed: 2, dead: 1, runMs: 7, waitMs: 3 },
          { ...nothing, at: third, cancelled: 3 },
        ]);
      }),
    );

    it(
      'is told by hours, oldest first, empty ones left out',
      withStats(setup, async ({ stats, queue, reportIn, advance }) => {
        const first = await reportIn(hour, { succeeded: 1 });
        await advance(2 * hour);
        const second = await reportIn(hour, { succeeded: 2 });
        await advance(5 * day);
        const third = await reportIn(hour, { succeeded: 4 });
        expect((await stats.throughput(queue)).hours).toEqual([
          { ...nothing, at: first, succeeded: 1 },
          { ...nothing, at: second, succeeded: 2 },
          { ...nothing, at: third, succeeded: 4 },
        ]);
      }),
    );

    it(
      'is that of the last hour and the last week',
      withStats(setup, async ({ stats, queue, reportIn, advance }) => {
        await reportIn(hour, { succeeded: 1 });
        await advance(2 * hour);
        expect((await stats.throughput(queue)).minutes).toEqual([]);
        await reportIn(hour, { succeeded: 2 });
        const { minutes, hours } = await stats.throughput(queue);
        expect([total(minutes).succeeded, total(hours).succeeded]).toEqual([2, 3]);
        await advance(6 * day);
        expect(total((await stats.throughput(queue)).hours).succeeded).toBe(3);
        await advance(2 * day);
        expect(await stats.throughput(queue)).toEqual({ minutes: [], hours: [] });
        const last = await reportIn(hour, { succeeded: 4 });
        expect((await stats.throughput(queue)).hours).toEqual([{ ...nothing, at: last, succeeded: 4 }]);
      }),
    );
  });

  describe('figures of a job', () => {
    it(
      'say when it last ran and failed, and how, by the time of the report',
      withStats(setup, async ({ runs, report, jobs, advance, now, about }) => {
        const start = await now();
        await report({ runs: [runs({ succeeded: 1 })] });
        const [ran] = await jobs();
        expect(ran).toMatchObject({ lastRunAt: about(start) });
        expect([ran!.lastFailureAt, ran!.lastError]).toEqual([undefined, undefined]);
        await advance(hour);
        await report({ runs: [runs({ failed: 2, lastError: 'TypeError: it is\nundefined "ü"' })] });
        await advance(hour);
        await report({ runs: [runs({ succeeded: 1 })] });
        const lastError = 'TypeError: it is\nundefined "ü"';
        expect(await jobs()).toMatchObject([
          { lastRunAt: about(start + 2 * hour), lastFailureAt: about(start + hour), lastError },
        ]);
        await advance(hour);
        await report({ runs: [runs({ failed: 1, lastError: 'RangeError: too far' })] });
        expect(await jobs()).toMatchObject([
          {
            lastRunAt: about(start + 3 * hour),
            lastFailureAt: about(start + 3 * hour),
            lastError: 'RangeError: too far',
          },
        ]);
      }),
    );

    it(
      'are all that was ever told of it, also when it has not run for long',
      withStats(setup, async ({ runs, report, jobs, advance, now, about }) => {
        const start = await now();
        await report({ runs: [runs({ succeeded: 5, runMs: 100 })] });
        await advance(30 * day);
        await report({ runs: [runs({ succeeded: 1, runMs: 1, job: 'Other' })] });
        expect(await jobs()).toMatchObject([
          { job: 'Job', succeeded: 5, runMs: 100, lastRunAt: about(start) },
          { job: 'Other', succeeded: 1 },
        ]);
      }),
    );
  });
}
