import { describe, expect, it, test } from '@jest/globals';
import { Job, Periodic, type RecurringOptions, type Task } from 'nestjs-jobs';
import { checkCron, cronIn } from '../../lib/task/cron.js';
import { readme, sectionsOf } from '../support/readme.js';
import { start } from './fixtures/start.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const textOf = (heading: string) => sectionsOf(readme).find((section) => section.heading === heading)!.text;

/** The cells of a table under a heading, without its head. */
function cellsOf(heading: string): string[][] {
  return textOf(heading)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/[|`]/g, '').trim()));
}

/** The slots of a zone's day before 05:00, on its wall clock and in UTC. */
function nightOf(text: string, zone: string, date: string): [wall: string, utc: string] {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const cron = cronIn(text, zone);
  const until = Date.parse(date) + 2 * day;
  const slots: number[] = [];
  for (let slot = cron.after(Date.parse(date) - day)!; slot < until; slot = cron.after(slot)!) {
    const at = shown.format(slot);
    if (at.startsWith(date) && at < `${date} 05:00`) slots.push(slot);
  }
  const list = (timeOf: (slot: number) => string) => slots.map(timeOf).join(', ');
  return [
    list((slot) => shown.format(slot).slice(-5)),
    list((slot) => new Date(slot).toISOString().slice(11, 16)),
  ];
}

describe('what the README says about cron texts', () => {
  test.each(cellsOf('Daylight saving'))('%s in %s on %s is at %s, in UTC at %s', (...cells) => {
    const [text, zone, date, wall, utc] = cells as [string, string, string, string, string];
    expect(nightOf(text, zone, date)).toEqual([wall, utc]);
  });

  test('the names, and nothing else, are known', () => {
    const said = [...textOf('Cron text').matchAll(/`(@\w+)`/g)].map(([, name]) => name);
    expect(() => checkCron('@other', 'Report')).toThrow(new RegExp(`the names are ${said.join(', ')}$`));
  });

  test('what is refused, is', () => {
    const [, refused] = /^Refused.*?(`H`.*)$/m.exec(textOf('Cron text'))!;
    const texts = [...refused!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
    expect(texts).toHaveLength(3);
    for (const text of texts)
      expect(() => checkCron(text === 'H' ? 'H * * * *' : text, 'Report')).toThrow('cron');
  });
});

/** An hourly job that notes its slots in hours since a moment. */
function hourly(options: RecurringOptions = {}, every = '1h') {
  const slots: number[] = [];
  const since = Date.UTC(2030, 0, 1);
  @Periodic(every, { name: 'Hourly', ...(options as object) })
  class Hourly {
    run(_params: void, { slot }: Task) {
      slots.push((slot!.getTime() - since) / hour);
    }
  }
  return { Hourly, slots };
}

describe('what the README says about schedules', () => {
  it.each([
    ['skip', [0, 8]],
    ['replace', [0, 10]],
    ['queue', [0, 8, 9, 10]],
  ] as const)('with { all: 3 } and overlap %s the slots that run are %j', async (overlap, expected) => {
    const { Hourly, slots } = hourly({ missed: { all: 3 }, overlap });
    const app = await start({ providers: [Hourly] });
    await app.advance(30 * minute);
    await app.runner.stop();
    await app.advance(10 * hour);
    await app.runner.start();
    await app.advance(0);
    expect(slots).toEqual(expected);
  });

  it('a declaration that comes back goes on where it was, and has missed what was in between', async () => {
    const before = hourly();
    const first = await start({ providers: [before.Hourly] });
    await first.advance(30 * minute);
    await first.runner.stop();
    const without = await start({ providers: [hourly({ disabled: true }).Hourly], beside: first });
    await first.advance(2 * day);
    await without.runner.stop();
    const after = hourly();
    await start({ providers: [after.Hourly], beside: first });
    await first.advance(30 * minute);
    expect([before.slots, after.slots]).toEqual([[0], [48, 49]]);
  });

  it('one from code that is paused is not forgotten, and one that was removed is back at the next start', async () => {
    const { Hourly, slots } = hourly();
    @Periodic('1d')
    class Other {
      run() {}
    }
    const first = await start({ providers: [Hourly] });
    await first.advance(0);
    await first.catalog.pauseSchedule('Hourly');
    await first.runner.stop();
    const other = await start({ providers: [Other], beside: first });
    await first.advance(30 * day);
    expect(await other.catalog.schedule('Hourly')).toMatchObject({ isPaused: true });
    expect(await other.catalog.removeSchedule('Hourly')).toBe('done');
    await first.runner.start();
    await first.advance(0);
    expect(slots).toEqual([0, 30 * 24]);
  });

  it('a changed span whose moment has passed runs at once', async () => {
    const first = await start({ providers: [hourly().Hourly] });
    await first.advance(30 * minute);
    await first.runner.stop();
    const { Hourly, slots } = hourly({}, '10m');
    await start({ providers: [Hourly], beside: first });
    await first.advance(0);
    expect(slots).toEqual([0.5]);
  });

  it('one that is moved to another queue begins anew there', async () => {
    const first = await start({ providers: [hourly().Hourly] });
    await first.advance(30 * minute);
    await first.runner.stop();
    const { Hourly, slots } = hourly({ queue: 'there' });
    await start({ providers: [Hourly], beside: first });
    await first.advance(0);
    expect(slots).toEqual([0.5]);
  });

  it('from in the past says where the grid is, and what lies before now is missed', async () => {
    const from = new Date('2029-12-31T22:15Z');
    const [once, skip] = [hourly({ from }), hourly({ from, missed: 'skip' })];
    for (const { Hourly } of [once, skip]) {
      const app = await start({ providers: [Hourly] });
      await app.advance(hour);
    }
    expect([once.slots, skip.slots]).toEqual([[-0.75, 0.25], [0.25]]);
  });

  it('replace keeps a pause, and ids of schedules and of tasks are apart', async () => {
    @Job()
    class Plain {
      run() {}
    }
    const { jobs, catalog } = await start({ providers: [Plain] });
    await jobs.enqueue(Plain, undefined, { id: 'one', every: '1m' });
    await catalog.pauseSchedule('one');
    await jobs.enqueue(Plain, undefined, { id: 'one', every: '2m', replace: true });
    expect(await catalog.schedule('one')).toMatchObject({ isPaused: true, rule: { every: { ms: 120_000 } } });
    expect(await jobs.enqueue(Plain, undefined, { id: 'one', in: '1h' })).toMatchObject({
      status: 'enqueued',
    });
  });

  it('a process that provides the job goes on within a minute of its start', async () => {
    let runs = 0;
    @Job({ name: 'Known' })
    class Known {
      run() {
        runs++;
      }
    }
    @Job()
    class Other {
      run() {}
    }
    const first = await start({ providers: [Known] });
    await first.jobs.enqueue(Known, undefined, { every: '1h', from: new Date(first.now() + hour) });
    await first.runner.stop();
    await start({ providers: [Other], beside: first });
    await first.advance(5.5 * hour);
    await first.runner.start();
    await first.advance(minute);
    expect(runs).toBe(1);
  });
});
