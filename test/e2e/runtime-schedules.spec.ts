import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import {
  BulkError,
  InvalidOptionError,
  InvalidParamsError,
  Job,
  type EnqueueOptions,
  type Task,
} from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const minute = 60_000;
const hour = 3_600_000;

class ReportParams {
  @IsString() to!: string;
}

async function startReports(template: object = {}) {
  const runs: { to: string; slot: number | undefined; scheduleId: string | undefined }[] = [];
  @Job({ params: ReportParams, ...template })
  class Report {
    run({ to }: ReportParams, { slot, scheduleId }: Task): void {
      runs.push({ to, slot: slot && (slot.getTime() - beganAt) / minute, scheduleId });
    }
  }
  const app = await start({ providers: [Report] });
  const beganAt = app.now();
  const slots = () => runs.map(({ slot }) => slot);
  const put = (options?: EnqueueOptions, to = 'a') => app.jobs.enqueue(Report, { to }, options);
  return { app, Report, runs, slots, put, beganAt };
}

describe('a schedule that is put by enqueue', () => {
  it('makes a task with its params at once and then at every span, until its time is over', async () => {
    const { app, runs, put } = await startReports();
    const { id, status } = await put({ every: '10m', for: '1h' });
    expect(status).toBe('enqueued');
    await app.advance(3 * hour);
    expect(runs).toEqual([0, 10, 20, 30, 40, 50].map((slot) => ({ to: 'a', slot, scheduleId: id })));
    expect(await app.catalog.schedule(id)).toBeUndefined();
  });

  it('begins at from, and ends before until', async () => {
    const { app, slots, put, beganAt } = await startReports();
    await put({ every: '10m', from: new Date(beganAt + 5 * minute), until: new Date(beganAt + 25 * minute) });
    await app.advance(3 * hour);
    expect(slots()).toEqual([5, 15]);
  });

  it('follows a cron in its zone', async () => {
    const { app, slots, put } = await startReports();
    await put({ cron: '30 9 * * *', timeZone: 'Asia/Kolkata' });
    await app.advance(48 * hour);
    // 09:30 in Kolkata is 04:00 UTC.
    expect(slots()).toEqual([240, 240 + 1_440]);
  });

  it('is one schedule however often it is put under one id, and changes by replace', async () => {
    const { app, runs, slots, put } = await startReports();
    expect(await put({ id: 'mine', every: '10m' }, 'a')).toMatchObject({ id: 'mine', status: 'enqueued' });
    expect(await put({ id: 'mine', every: '1m' }, 'b')).toMatchObject({ id: 'mine', status: 'existing' });
    await app.advance(10 * minute);
    expect(slots()).toEqual([0, 10]);
    expect(await put({ id: 'mine', every: '30m', replace: true }, 'c')).toMatchObject({ status: 'replaced' });
    await app.advance(31 * minute);
    expect(slots()).toEqual([0, 10, 10, 40]);
    expect(runs.map(({ to }) => to)).toEqual(['a', 'a', 'c', 'c']);
  });

  it('follows the template of its job, which a call replaces', async () => {
    const { app, slots, put } = await startReports({ every: '10m', for: '30m' });
    await put();
    await app.advance(hour);
    expect(slots()).toEqual([0, 10, 20]);
    await put({ every: '20m' });
    await app.advance(hour);
    expect(slots()).toEqual([0, 10, 20, 60, 80]);
    await put({ in: '5m' });
    await app.advance(hour);
    expect(slots()).toEqual([0, 10, 20, 60, 80, undefined]);
  });

  it('queues the tasks of slots that overlap, unless told otherwise', async () => {
    let running = 0;
    @Job()
    class Slow {
      async run(): Promise<void> {
        running++;
        await new Promise(() => undefined);
      }
    }
    const app = await start({ providers: [Slow] });
    await app.jobs.enqueue(Slow, undefined, { every: '1m' });
    await app.advance(2 * minute);
    expect(running).toBe(3);
  });

  it('survives the process that put it, and is fired by any that has the job', async () => {
    const { app, Report, runs } = await startReports();
    await app.jobs.enqueue(Report, { to: 'a' }, { every: '10m' });
    await app.runner.stop();
    const seen: string[] = [];
    @Job({ params: ReportParams, name: 'Report' })
    class Successor {
      run({ to }: ReportParams): void {
        seen.push(to);
      }
    }
    await start({ providers: [Successor], beside: app });
    await app.advance(10 * minute);
    expect([runs.length, seen.length]).toEqual([0, 2]);
  });

  it.each<[string, EnqueueOptions, RegExp]>([
    ['a cron of too few fields', { cron: '* * *' }, /Report: cron is "\* \* \*".*five fields/],
    ['an empty cron', { cron: '' }, /Report: .*cron/],
    ['a cron that never comes', { cron: '0 0 31 4,6 *' }, /Report: .*0 0 31 4,6 \*/],
    ['a zone that there is not', { cron: '0 8 * * *', timeZone: 'Europe/Atlantis' }, /timeZone.*Atlantis/],
    ['a span of nothing', { every: 0 }, /every.*0/],
    ['a span that cannot be read', { every: 'often' }, /every.*often/],
    ['for and until together', { every: '1m', for: '1h', until: new Date() }, /until/],
    ['every and cron together', { every: '1m', cron: '0 8 * * *' }, /cron/],
    ['in and every together', { in: '1m', every: '1m' }, /every/],
    ['an end before the beginning', { every: '1m', from: new Date(2e12), until: new Date(1e12) }, /until/],
    ['an end that has passed', { every: '1m', until: new Date(0) }, /until/],
    ['until without a rule', { until: new Date(2e12) }, /until.*every/],
    ['a zone for a span', { every: '1m', timeZone: 'UTC' }, /timeZone/],
    ['a way to miss that there is not', { every: '1m', missed: 'twice' as never }, /missed/],
    ['a way to overlap that there is not', { every: '1m', overlap: 'maybe' as never }, /overlap/],
  ])('is refused for %s, in a sentence with the job and the value', async (_, options, message) => {
    const { put, app } = await startReports();
    const refused = await put(options).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InvalidOptionError);
    expect((refused as Error).message).toMatch(message);
    expect((await app.catalog.schedules({ queue: 'default' })).schedules).toEqual([]);
  });

  it('is refused where its params do not pass', async () => {
    const { app, Report } = await startReports();
    await expect(app.jobs.enqueue(Report, { to: 7 as never }, { every: '1m' })).rejects.toThrow(
      InvalidParamsError,
    );
  });

  it('is refused in a bulk', async () => {
    const { app, Report } = await startReports();
    const bulk = app.jobs.bulk((one) => one.enqueue(Report, { to: 'a' }, { every: '1m' }));
    await expect(bulk).rejects.toThrow(BulkError);
  });
});
