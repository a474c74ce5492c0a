import { hostname } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { Job, Periodic, type Backend, type Task } from 'nestjs-jobs';
import { version } from '../../lib/task/version.js';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const second = 1_000;

/** A store that does not answer what it is asked about runners. */
const silentStats = (store: Backend): Backend => ({
  ...store,
  stats: {
    ...store.stats,
    report: () => new Promise(() => undefined),
    leave: () => new Promise(() => undefined),
  },
});

describe('What a runner reports', () => {
  it('is who it is and what it runs, the longest first, and nothing when it has left', async () => {
    const end = gate();
    @Job({ queue: 'slow' })
    class Slow {
      run(): Promise<void> {
        return end.opened;
      }
    }
    @Job({ queue: 'quick' })
    class Quick {
      run(): void {}
    }
    const app = await start({
      providers: [Slow, Quick],
      options: { runner: { concurrency: 200, queues: ['slow', { name: 'quick', concurrency: 2 }] } },
    });
    const { stats } = app.store;
    await settled();
    const startedAt = app.now();
    const idle = {
      name: expect.stringContaining(`${hostname()}:${process.pid}:`),
      host: hostname(),
      pid: process.pid,
      version,
      queues: [
        { name: 'slow', concurrency: 200 },
        { name: 'quick', concurrency: 2 },
      ],
      concurrency: 200,
      running: 0,
      tasks: [],
      startedAt,
      seenAt: startedAt,
    };
    expect(await stats.runners()).toEqual([idle]);
    for (let n = 0; n < 150; n++) await app.jobs.enqueue(Slow, undefined, { id: `${n}`, priority: n });
    await app.advance(1_500);
    await app.jobs.enqueue(Slow, undefined, { id: 'late' });
    await app.advance(second);
    const [busy] = await stats.runners();
    expect(busy).toMatchObject({ startedAt, running: 151 });
    expect(busy!.tasks).toHaveLength(100);
    expect(busy!.tasks[0]).toEqual({ queue: 'slow', id: '0', job: 'Slow', runningMs: expect.any(Number) });
    expect(busy!.tasks[0]!.runningMs).toBeGreaterThanOrEqual(1_500);
    expect((await app.catalog.task('0'))?.runner).toBe(busy!.name);
    end.open();
    await app.advance(3 * second);
    expect((await stats.runners())[0]).toMatchObject({ running: 0, tasks: [] });
    await app.runner.stop();
    expect(await stats.runners()).toEqual([]);
    await app.runner.start();
    await settled();
    expect(await stats.runners()).toHaveLength(1);
  });

  it('is how runs ended, per queue and job, and loses none when it stops', async () => {
    @Job({ retries: 1, backoff: '1s' })
    class Mixed {
      async run(how: string, task: Task<string>): Promise<void> {
        await new Promise<void>((resolve) => app.clock.after(100, resolve));
        if (how === 'fails') throw new Error(`no\nattempt ${task.attempt}`);
      }
    }
    const app = await start({ providers: [Mixed] });
    for (const how of ['fails', 'works', 'works']) await app.jobs.enqueue(Mixed, how, { in: '1s' });
    // The second failure comes just now: nobody has reported it yet.
    await app.advance(2_200);
    await app.runner.stop();
    const counts = { succeeded: 2, failed: 2, dead: 1, cancelled: 0, lost: 0, runMs: 400 };
    expect(await app.store.stats.jobs(['default'])).toEqual([
      expect.objectContaining({ ...counts, queue: 'default', job: 'Mixed', lastError: 'Error: no' }),
    ]);
    const { minutes, hours } = await app.store.stats.throughput('default');
    expect(minutes).toMatchObject([counts]);
    expect(hours).toMatchObject([counts]);
  });

  it('is how the slots of a schedule ended', async () => {
    @Periodic('10s', { name: 'Ticking' })
    class Ticking {
      run(_: void, task: Task): void {
        if (task.slot!.getTime() % 20_000 === 0) throw new Error('no');
      }
    }
    const app = await start({ providers: [Ticking] });
    await app.advance(25 * second);
    const [schedule] = (await app.store.schedules.list('default', { limit: 1 })).schedules;
    const slots = await app.store.stats.slots(schedule!);
    expect(slots.length).toBeGreaterThanOrEqual(2);
    for (const { slot, outcome, task } of slots) {
      expect(outcome).toBe(slot % 20_000 === 0 ? 'dead' : 'succeeded');
      expect(task).toEqual(expect.any(String));
    }
    expect(slots.map(({ slot }) => slot)).toEqual(slots.map(({ slot }) => slot).toSorted((a, b) => b - a));
  });

  it('is nothing in a process that only enqueues', async () => {
    const app = await start({ options: { runner: false } });
    await app.advance(60 * second);
    expect(await app.store.stats.runners()).toEqual([]);
  });

  it('sets no timer while a runner on memory is idle', async () => {
    @Job()
    class Quick {
      run(): void {}
    }
    const app = await start({ providers: [Quick] });
    await app.jobs.enqueue(Quick);
    await app.advance(60 * second);
    let timers = 0;
    const { clock } = app;
    const after = clock.after.bind(clock);
    clock.after = (...args) => (timers++, after(...args));
    await app.advance(3_600 * second);
    expect(timers).toBe(0);
    await app.jobs.enqueue(Quick);
    await app.advance(60 * second);
    expect(timers).toBeGreaterThan(0);
  });

  it('holds up neither runs nor the end of a runner when the store does not answer', async () => {
    let runs = 0;
    @Job()
    class Quick {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Quick], before: silentStats });
    await app.jobs.enqueue(Quick);
    await app.advance(60 * second);
    expect(runs).toBe(1);
    const stopping = app.runner.stop();
    await app.advance(2 * second);
    await stopping;
    expect(app.lines.filter(({ level }) => level !== 'log')).toEqual([]);
  });
});
