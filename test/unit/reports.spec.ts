import { describe, expect, it } from '@jest/globals';
import type { ClaimedTask } from '../../lib/backend/backend.js';
import type { RunnerInfo, RunnerReport, StatsStore } from '../../lib/backend/stats-store.js';
import { Attempt } from '../../lib/runner/attempt.js';
import { Reports } from '../../lib/runner/reports.js';
import { Tally } from '../../lib/runner/tally.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A runner's reports, and a store that hears them; `report` is what that does. */
function stage(report: () => Promise<void> = async () => undefined, lossless = false) {
  const clock = new VirtualClock();
  const told: { at: number; report: RunnerReport }[] = [];
  const left: string[] = [];
  const startedAt = clock.elapsed();
  const stats = {
    report: (one: RunnerReport) => (told.push({ at: clock.elapsed() - startedAt, report: one }), report()),
    leave: async (name: string) => void left.push(name),
  } as Partial<StatsStore> as StatsStore;
  const tally = new Tally();
  const info = { name: 'runner' } as RunnerInfo;
  const reports = new Reports({ stats, bell: { lossless } as never }, clock, tally, () => info);
  const happen = () => {
    const claimed = { queue: 'q', id: 'a', job: 'J', epoch: 0, dueAt: 0 } as ClaimedTask;
    const attempt = new Attempt(claimed, Infinity, { now: () => 0, noted: () => undefined });
    tally.count(attempt, { type: 'succeeded', keepMs: 0 });
    reports.changed();
  };
  const succeeded = () =>
    told.flatMap(({ report: { runs } }) => runs).reduce((sum, one) => sum + one.succeeded, 0);
  return { clock, reports, told, left, happen, succeeded };
}

describe('The reports of a runner', () => {
  it('come at its start, and about every ten seconds while nothing happens', async () => {
    const { clock, reports, told } = stage();
    reports.begin();
    await clock.advance(100_000);
    expect(told[0]).toEqual({
      at: 0,
      report: { runner: { name: 'runner' }, aliveMs: 35_000, runs: [], slots: [] },
    });
    const pauses = told.slice(1).map(({ at }, index) => at - told[index]!.at);
    expect(pauses.length).toBeGreaterThanOrEqual(9);
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(9_000);
      expect(pause).toBeLessThanOrEqual(11_000);
    }
    expect(new Set(pauses).size).toBeGreaterThan(1);
  });

  it('come about every two seconds while something happens, and count everything once', async () => {
    const { clock, reports, told, happen, succeeded } = stage();
    reports.begin();
    for (let n = 0; n < 1_000; n++) {
      happen();
      await clock.advance(20);
    }
    expect(told.length).toBeGreaterThanOrEqual(9);
    expect(told.length).toBeLessThanOrEqual(13);
    await clock.advance(2_200);
    expect(succeeded()).toBe(1_000);
  });

  it('need no timer on a store of the process itself, where no runner is taken for dead', async () => {
    const { clock, reports, told, happen } = stage(undefined, true);
    reports.begin();
    await clock.advance(3_600_000);
    expect(told).toHaveLength(1);
    expect(told[0]!.report.aliveMs).toBe(Infinity);
    happen();
    await clock.advance(3_600_000);
    expect(told).toHaveLength(2);
  });

  it('end with what was not told yet, and with the leave', async () => {
    const { clock, reports, told, left, happen, succeeded } = stage();
    reports.begin();
    await clock.advance(10);
    happen();
    await reports.end();
    expect(succeeded()).toBe(1);
    expect(left).toEqual(['runner']);
    const { length } = told;
    await clock.advance(60_000);
    expect(told).toHaveLength(length);
  });

  it('do not hold up the end of a runner whose store is silent', async () => {
    const { clock, reports, left, happen } = stage(() => new Promise(() => undefined));
    reports.begin();
    happen();
    let hasEnded = false;
    const ending = reports.end().then(() => (hasEnded = true));
    await clock.advance(1_999);
    expect(hasEnded).toBe(false);
    await clock.advance(1);
    await ending;
    expect(left).toEqual([]);
  });

  it('that surely never left are made up for; those that may have arrived are not told twice', async () => {
    for (const [sent, counted] of [
      [false, 1],
      [true, 0],
    ] as const) {
      let isDown = true;
      const { clock, reports, told, happen } = stage(async () => {
        if (isDown) throw Object.assign(new Error('down'), { sent });
      });
      reports.begin();
      happen();
      await clock.advance(30_000);
      // Not more often than an idle one.
      expect(told.length).toBeLessThanOrEqual(6);
      isDown = false;
      const before = told.length;
      await clock.advance(30_000);
      const since = told.slice(before).flatMap(({ report: { runs } }) => runs);
      expect(since.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(counted);
    }
  });

  it('say that a run has begun before it has ended', async () => {
    const { clock, reports, told } = stage();
    reports.begin();
    await clock.advance(100);
    reports.changed();
    await clock.advance(2_200);
    expect(told).toHaveLength(2);
  });
});
