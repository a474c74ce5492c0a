import { describe, expect, it } from '@jest/globals';
import { Cron, Job, Periodic, type Task } from 'nestjs-jobs';
import type { VirtualClock } from '../support/virtual-clock.js';
import { start } from './fixtures/start.js';
import { wrappedSchedules } from './fixtures/wrapped-schedules.js';

const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;
const midnight = Date.UTC(2030, 0, 1);

function noting(every: string, options: object = {}, work: () => void = () => undefined) {
  const hours: number[] = [];
  @Periodic(every, { name: 'Noting', ...options })
  class Noting {
    run(_: void, { slot }: Task): void {
      hours.push((slot!.getTime() - midnight) / hour);
      work();
    }
  }
  return { Noting, hours };
}

describe('a job that is moved to another queue', () => {
  it('keeps its place and its pause, and makes no extra run', async () => {
    const before = noting('1d', { queue: 'a' });
    const first = await start({ providers: [before.Noting] });
    await first.advance(minute);
    await first.runner.stop();
    const after = noting('1d', { queue: 'b' });
    const other = await start({ providers: [after.Noting], beside: first });
    await first.advance(hour);
    expect(after.hours).toEqual([]);
    await other.catalog.pauseSchedule('Noting');
    await other.runner.stop();
    const again = noting('1d', { queue: 'c' });
    const third = await start({ providers: [again.Noting], beside: first });
    await first.advance(3 * day);
    expect(again.hours).toEqual([]);
    expect(await third.catalog.schedule('Noting')).toMatchObject({ queue: 'c', isPaused: true });
  });

  it('is not taken back by a process of the old version that starts again meanwhile', async () => {
    const old = noting('1m', { queue: 'a' });
    const fresh = noting('1m', { queue: 'b' });
    const first = await start({ providers: [old.Noting] });
    await first.advance(minute);
    const other = await start({ providers: [fresh.Noting], beside: first });
    await first.advance(minute);
    await first.runner.stop();
    await first.runner.start();
    await first.advance(hour);
    expect(await other.catalog.schedule({ queue: 'a', id: 'Noting' })).toBeUndefined();
    await first.runner.stop();
    fresh.hours.length = 0;
    await first.advance(5 * hour);
    expect(fresh.hours).toHaveLength(300);
  });

  it('is taken back by the old version once the new one is gone for good', async () => {
    const old = noting('1m', { queue: 'a' });
    const fresh = noting('1m', { queue: 'b' });
    const first = await start({ providers: [old.Noting] });
    await first.advance(minute);
    await first.runner.stop();
    const other = await start({ providers: [fresh.Noting], beside: first });
    await first.advance(minute);
    await other.runner.stop();
    await first.runner.start();
    old.hours.length = 0;
    await first.advance(2 * hour);
    expect(old.hours.length).toBeGreaterThan(60);
  });
});

describe('a slot that has fired does not fire again', () => {
  it('after a change in code of a schedule that began in the past', async () => {
    const from = new Date(midnight);
    const before = noting('1h', { from, until: new Date(midnight + 9 * day) });
    const first = await start({ providers: [before.Noting] });
    await first.advance(10.5 * hour);
    await first.runner.stop();
    const after = noting('1h', { from, until: new Date(midnight + 8 * day) });
    await start({ providers: [after.Noting], beside: first });
    await first.advance(hour);
    expect([before.hours.at(-1), ...after.hours]).toEqual([10, 11]);
  });

  it('by a replace, and an unchanged rule keeps its place', async () => {
    const slots: number[] = [];
    @Job()
    class Report {
      run(_: void, { slot }: Task): void {
        slots.push((slot!.getTime() - midnight) / hour);
      }
    }
    const app = await start({ providers: [Report] });
    const put = (every: string, from?: Date) =>
      app.jobs.enqueue(Report, undefined, { id: 'x', every, from, replace: true });
    await put('1h', new Date(midnight));
    await app.advance(2.5 * hour);
    for (const every of ['1h', '2h', '1h']) {
      expect(await put(every, new Date(midnight))).toMatchObject({ status: 'replaced' });
      await app.advance(minute);
    }
    expect(slots).toEqual([0, 1, 2]);
    await app.advance(hour);
    expect(slots).toEqual([0, 1, 2, 3]);
    await put('3h');
    await app.advance(minute);
    await put('3h');
    await app.advance(minute);
    expect(slots).toHaveLength(5);
  });
});

describe('a schedule from code', () => {
  it('that ends needs to say when it begins, so that a later start does not begin it anew', async () => {
    const { Noting } = noting('1h', { until: new Date(midnight + day) });
    await expect(start({ providers: [Noting] })).rejects.toThrow(/Noting: until .* given with `from`/);
  });

  it('of a changed span does not go beyond its end', async () => {
    const from = new Date(midnight);
    const until = new Date(midnight + 5 * hour);
    const first = await start({ providers: [noting('1h', { from, until }).Noting] });
    await first.advance(1.5 * hour);
    await first.runner.stop();
    const after = noting('1d', { from, until });
    await start({ providers: [after.Noting], beside: first });
    await first.advance(3 * day);
    expect(after.hours).toEqual([]);
  });

  it('tries slots that are made up for again as it does others', async () => {
    const failing = noting('1h', { missed: { all: 3 }, retries: 2, backoff: '1s' }, () => {
      throw new Error('no');
    });
    const app = await start({ providers: [failing.Noting] });
    await app.advance(minute);
    await app.runner.stop();
    await app.advance(3.5 * hour);
    failing.hours.length = 0;
    await app.runner.start();
    await app.advance(minute);
    expect(failing.hours.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
  });

  it('is forgotten a week after it was last declared, also where it is paused or far ahead', async () => {
    @Cron('0 0 1 6 *')
    class Yearly {
      run(): void {}
    }
    @Job()
    class Other {
      run(): void {}
    }
    const first = await start({ providers: [Yearly, noting('1h').Noting] });
    await first.advance(minute);
    await first.catalog.pauseSchedule('Noting');
    await first.runner.stop();
    const other = await start({
      providers: [Other],
      beside: first,
      options: { runner: { pollInterval: '1h' } },
      before: (store) => wrappedSchedules(store, (_method, go, args) => go(...args), { lossless: false }),
    });
    // Days without a step for each of the reports and sweeps that a store behind a network gets.
    const pass = async (days: number) => {
      (first.clock as VirtualClock).block(days * day - hour);
      await first.advance(hour);
    };
    await pass(6);
    expect((await other.catalog.schedules({ queue: 'default' })).schedules).toHaveLength(2);
    await pass(3);
    expect((await other.catalog.schedules({ queue: 'default' })).schedules).toEqual([]);
  });
});

describe('a schedule that this version cannot read', () => {
  it('is neither resumed nor lost by the catalog, and stops no other', async () => {
    @Job()
    class Known {
      run(): void {}
    }
    const { Noting, hours } = noting('1h');
    const app = await start({ providers: [Known, Noting] });
    const odd = { queue: 'default', job: 'Known', template: '{}', isDeclared: false };
    const lunar = { ...odd, id: 'lunar', rule: '{"lunar":1}', nextSlot: app.now() + 1 };
    const martian = { ...odd, id: 'martian', rule: '{"cron":"* * * * *","timeZone":"Mars/Olympus"}' };
    await app.store.schedules.put(lunar, 'absent');
    await app.store.schedules.put({ ...martian, nextSlot: app.now() + 1 }, 'absent');
    await app.advance(2.5 * hour);
    expect(hours).toEqual([0, 1, 2]);
    await app.catalog.pauseSchedule('lunar');
    await expect(app.catalog.resumeSchedule('lunar')).rejects.toThrow(/lunar.*that this process can read/);
    await expect(app.catalog.nextSlots('martian', 3)).rejects.toThrow(/martian.*that this process can read/);
    expect(await app.catalog.schedule('lunar')).toMatchObject({ rule: undefined, isPaused: true });
  });
});
