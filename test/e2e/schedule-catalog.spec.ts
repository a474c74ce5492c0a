import { describe, expect, it } from '@jest/globals';
import { Job, Periodic, type Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const minute = 60_000;

async function startHourly() {
  const runs: (number | undefined)[] = [];
  @Periodic('1h')
  class Hourly {
    run(_: void, { slot }: Task): void {
      runs.push(slot && (slot.getTime() - beganAt) / minute);
    }
  }
  const app = await start({ providers: [Hourly] });
  const beganAt = app.now();
  await app.advance(0);
  return { app, runs, beganAt };
}

describe('the catalog', () => {
  it('tells what a schedule is, where it stands and what comes next', async () => {
    const { app, beganAt } = await startHourly();
    const hourly = (await app.catalog.schedule('Hourly'))!;
    expect(hourly).toMatchObject({
      ...{ queue: 'default', id: 'Hourly', job: 'Hourly', isDeclared: true, isPaused: false },
      ...{ rule: { every: { ms: 3_600_000 } }, missed: 'once', overlap: 'skip', fired: 1, skipped: 0 },
      ...{ lastSlot: new Date(beganAt), nextSlot: new Date(beganAt + 60 * minute) },
    });
    const { lastSlots, nextSlots, ...listed } = hourly;
    expect(await app.catalog.schedules({ queue: 'default' })).toEqual({
      schedules: [listed],
      complete: true,
    });
    expect(lastSlots).toEqual([]);
    expect(nextSlots).toEqual([60, 120, 180, 240, 300].map((n) => new Date(beganAt + n * minute)));
    expect(await app.catalog.nextSlots('Hourly', 3)).toEqual(
      [60, 120, 180].map((n) => new Date(beganAt + n * minute)),
    );
    expect(await app.catalog.nextSlots('Nothing', 3)).toEqual([]);
  });

  it('runs a schedule now and leaves it untouched', async () => {
    const { app, runs } = await startHourly();
    // The outcome of its slot is told meanwhile.
    await app.advance(10 * minute);
    const before = await app.catalog.schedule('Hourly');
    const ref = await app.catalog.runSchedule('Hourly');
    await app.advance(0);
    expect(ref).toMatchObject({ queue: 'default' });
    expect(runs).toEqual([0, undefined]);
    expect(await app.catalog.schedule('Hourly')).toEqual(before);
    await app.advance(50 * minute);
    expect(runs).toEqual([0, undefined, 60]);
  });

  it('pauses a schedule, whose slots then pass, and resumes it at the next one', async () => {
    const { app, runs } = await startHourly();
    expect(await app.catalog.pauseSchedule('Hourly')).toBe('done');
    expect(await app.catalog.pauseSchedule('Hourly')).toBe('left');
    expect(await app.catalog.schedule('Hourly')).toMatchObject({ isPaused: true, nextSlot: undefined });
    await app.advance(150 * minute);
    expect(runs).toEqual([0]);
    expect(await app.catalog.resumeSchedule('Hourly')).toBe('done');
    expect(await app.catalog.resumeSchedule('Hourly')).toBe('left');
    await app.advance(30 * minute - 1);
    expect(runs).toEqual([0]);
    await app.advance(1);
    expect(runs).toEqual([0, 180]);
  });

  it('keeps a schedule paused over a start of its process', async () => {
    const { app, runs } = await startHourly();
    await app.catalog.pauseSchedule('Hourly');
    await app.runner.stop();
    await app.runner.start();
    await app.advance(150 * minute);
    expect(runs).toEqual([0]);
  });

  it('takes a schedule away', async () => {
    @Job()
    class Pruned {
      run(): void {
        runs++;
      }
    }
    let runs = 0;
    const app = await start({ providers: [Pruned] });
    const { id } = await app.jobs.enqueue(Pruned, undefined, { every: '1m' });
    await app.advance(minute);
    expect(await app.catalog.removeSchedule(id)).toBe('done');
    expect(await app.catalog.removeSchedule(id)).toBe('missing');
    await app.advance(10 * minute);
    expect(runs).toBe(2);
    for (const act of ['pauseSchedule', 'resumeSchedule', 'runSchedule'] as const)
      expect(await app.catalog[act](id)).toBe('missing');
  });
});
