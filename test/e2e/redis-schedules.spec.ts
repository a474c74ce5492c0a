import { describe, expect, it } from '@jest/globals';
import { Job, type RunnerOptions, type Task } from 'nestjs-jobs';
import { eventually, startApp, type TestAppOptions } from '../support/app.js';
import { aborted as untilAbort, gate } from './fixtures/gate.js';
import { newPrefix } from './fixtures/redis-jobs.js';
import { recurring, repeated, storedSlots } from './fixtures/redis-schedules.js';

const url = process.env.TEST_REDIS_URL!;
const hour = 3_600_000;

/** Applications on one store, each as a process of its own would be. */
function together(prefix = newPrefix()) {
  return (providers: TestAppOptions['providers'] = [], runner: RunnerOptions | false = {}) =>
    startApp({ providers, options: { backend: url, prefix, runner }, realTime: true });
}

describe('A recurring job on Redis', () => {
  it.each([
    ['of a span', { every: '1s' }],
    ['of a cron text', { cron: '* * * * * *' }],
  ])('%s runs once for each slot, with two processes as with one', async (_, rule) => {
    const start = together();
    const { classFor, runs, slots, queue, name } = recurring({
      ...rule,
      missed: { all: 100 },
      overlap: 'queue',
    });
    const { catalog } = await start([classFor('one')]);
    await eventually(() => runs.length >= 2);
    await start([classFor('two')]);
    const before = runs.length;
    await eventually(() => runs.length >= before + 4);
    const stored = await storedSlots(catalog, queue, name);
    const first = stored[0]!;
    expect(stored).toEqual(stored.map((_slot, n) => first + n * 1_000));
    expect(repeated(slots())).toEqual([]);
    if ('cron' in rule) expect(first % 1_000).toBe(0);
    for (const { slot, at } of runs) expect(at).toBeGreaterThanOrEqual(slot);
  });

  it('makes no extra run when its process is started again inside the interval', async () => {
    const start = together();
    const { classFor, runs } = recurring({ every: '1h' });
    const first = await start([classFor('one')]);
    await eventually(() => runs.length === 1);
    await first.app.close();
    const { catalog } = await start([classFor('two')]);
    const before = await catalog.schedule('Recurring');
    // What is run beside it shows that the process is at work, and changes nothing.
    await catalog.runSchedule('Recurring');
    await eventually(() => runs.length >= 2);
    expect(runs.map(({ by, slot }) => [by, slot > 0])).toEqual([
      ['one', true],
      ['two', false],
    ]);
    expect(await catalog.schedule('Recurring')).toEqual(before);
  });

  it('is left as it is by a process that only enqueues', async () => {
    const start = together();
    const { classFor, runs, slots, queue } = recurring({ every: '1s' });
    const { catalog } = await start([classFor('worker')]);
    await eventually(() => runs.length >= 1);
    const [declared] = (await catalog.schedules({ queue })).schedules;
    const web = await start([classFor('web', undefined, '1h')], false);
    expect((await web.catalog.schedules({ queue })).schedules).toMatchObject([{ rule: declared!.rule }]);
    await web.app.close();
    const seen = runs.length;
    await eventually(() => runs.length > seen + 1);
    expect(runs.every(({ by }) => by === 'worker')).toBe(true);
    expect(repeated(slots())).toEqual([]);
    expect((await catalog.schedules({ queue })).schedules).toMatchObject([
      { rule: declared!.rule, isDeclared: true },
    ]);
  });

  it('stops the run of the slot before by its signal, in whichever process that is', async () => {
    const start = together();
    const aborted: number[] = [];
    const { classFor, runs, slots, queue } = recurring({ every: '2s', overlap: 'replace' });
    const held = gate();
    @Job({ queue: 'elsewhere' })
    class Holding {
      run(): Promise<void> {
        return held.opened;
      }
    }
    // It fires, and has no room to run what it fires.
    const firing = await start([classFor('firing'), Holding], {
      concurrency: 1,
      pollInterval: '1h',
      autoStart: false,
    });
    await firing.jobs.enqueue(Holding);
    await firing.catalog.pause(queue);
    await firing.runner.start();
    await eventually(async () => (await firing.catalog.counts('elsewhere')).pending === 1);
    const untilAborted = async ({ slot, signal }: Task) => {
      await untilAbort(signal).finally(() => aborted.push(slot!.getTime()));
    };
    // Its lease is long: nothing but the bell tells it in time.
    await start([classFor('running', untilAborted)], {
      ...{ schedules: false, lease: '10m', pollInterval: '1h', shutdownTimeout: '1ms' },
    });
    await firing.catalog.resume(queue);
    await eventually(() => aborted.length >= 2);
    held.open();
    expect(runs.every(({ by }) => by === 'running')).toBe(true);
    expect(aborted).toEqual(slots().slice(0, aborted.length));
    await eventually(async () => (await firing.catalog.counts(queue)).cancelled >= 2);
  });
});

describe('A schedule that a process puts which only enqueues', () => {
  it('is heard at once by one that runs, and so is its change', async () => {
    const start = together();
    const runs: { n: number; slot: number }[] = [];
    @Job({ queue: `put-${newPrefix()}`, name: 'Put' })
    class Put {
      run(n: number, { slot }: Task): void {
        runs.push({ n, slot: slot!.getTime() });
      }
    }
    // Without the bell nothing would be seen for an hour.
    await start([Put], { pollInterval: '1h' });
    const { jobs, catalog } = await start([], false);
    const { id } = await jobs.enqueue(Put, 1, { every: '1h' });
    await eventually(() => runs.length === 1);
    const from = new Date(Date.now() + 1_000);
    await jobs.enqueue(Put, 2, { id, every: '1h', from, replace: true });
    await eventually(() => runs.length === 2);
    expect(runs[1]).toEqual({ n: 2, slot: from.getTime() });
    await jobs.enqueue(Put, 3, { cron: '* * * * * *' });
    await eventually(() => runs.length >= 4);
    expect(repeated(runs.filter(({ n }) => n === 3).map(({ slot }) => slot))).toEqual([]);
    expect((await catalog.schedule(id))!.nextSlot!.getTime()).toBe(from.getTime() + hour);
  });

  it('is one schedule, though many put it at the same time', async () => {
    const start = together();
    const slots: number[] = [];
    const queue = `put-${newPrefix()}`;
    @Job({ queue, name: 'Put' })
    class Put {
      run(_: void, { slot }: Task): void {
        slots.push(slot!.getTime());
      }
    }
    const apps = await Promise.all([start([Put]), start([Put]), start([], false)]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        apps[n % 3]!.jobs.enqueue(Put, undefined, { id: 'mine', every: '1s' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'enqueued')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'existing')).toHaveLength(29);
    await eventually(() => slots.length >= 3);
    expect(repeated(slots)).toEqual([]);
    expect((await apps[2]!.catalog.schedules({ queue })).schedules).toHaveLength(1);
  });
});
