import { describe, expect, it } from '@jest/globals';
import { Clock, Job, Periodic, type ClockTimer, type Task } from 'nestjs-jobs';
import type { AskedSchedules, DueSchedules } from '../../lib/backend/schedule-store.js';
import type { TaskRef } from '../../lib/task/task-record.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { start } from './fixtures/start.js';
import { wrappedSchedules } from './fixtures/wrapped-schedules.js';

const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

function noting(every: string, options: object = {}) {
  const runs: Task[] = [];
  @Periodic(every, { name: 'Noting', ...options })
  class Noting {
    run(_: void, task: Task): void {
      runs.push(task);
    }
  }
  return { Noting, runs };
}

/** Timers of a real clock fire a little early now and then. */
class HastyClock extends VirtualClock {
  override after(delayMs: number, wake: () => void): ClockTimer {
    return super.after(delayMs > 10 ? delayMs - 0.5 : delayMs, wake);
  }
}

describe('schedules go on', () => {
  it.each([
    ['a bell that loses nothing', true, new VirtualClock()],
    ['a bell that may lose rings', false, new VirtualClock()],
    ['timers that fire a little early', true, new HastyClock()],
  ])('after a minute without the store, with %s', async (_, lossless, clock) => {
    let isDown = false;
    const { Noting, runs } = noting('10s');
    const app = await start({
      providers: [Noting],
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
      before: (store) =>
        wrappedSchedules(
          store,
          (_method, go, args) => (isDown ? Promise.reject(new Error('away')) : go(...args)),
          { lossless },
        ),
    });
    await clock.advance(20 * second);
    expect(runs).toHaveLength(3);
    isDown = true;
    await clock.advance(minute);
    isDown = false;
    runs.length = 0;
    await clock.advance(10 * minute);
    // What was missed is made up for once; then one every ten seconds.
    expect(runs.length).toBeGreaterThanOrEqual(59);
    await app.runner.stop();
  });

  it('where a part of the store is silent, with those of the others', async () => {
    let isDown = false;
    const { Noting, runs } = noting('1m', { queue: 'up' });
    @Periodic('1m', { queue: 'down' })
    class Down {
      run(): void {}
    }
    const away = new Error('node away');
    const app = await start({
      providers: [Noting, Down],
      before: (store) =>
        wrappedSchedules(store, async (method, go, args) => {
          if (!isDown) return go(...args);
          if (method === 'due') {
            const asked = (args[0] as AskedSchedules[]).filter(({ queue }) => queue !== 'down');
            return { ...((await go(asked)) as DueSchedules), unanswered: [{ queue: 'down', reason: away }] };
          }
          const [first] = [args[0]].flat() as (TaskRef | string)[];
          if ((typeof first === 'string' ? first : first?.queue) === 'down') throw away;
          return go(...args);
        }),
    });
    await app.advance(minute);
    isDown = true;
    runs.length = 0;
    // Longer than it takes until a process says again what it declares.
    await app.advance(30 * minute);
    expect(runs).toHaveLength(30);
  });

  it('where the store has lost them', async () => {
    const { Noting, runs } = noting('1h');
    const app = await start({ providers: [Noting] });
    await app.advance(minute);
    await app.store.schedules.remove({ queue: 'default', id: 'Noting' });
    runs.length = 0;
    await app.advance(day);
    expect(runs.length).toBeGreaterThanOrEqual(23);
  });

  it('after the machine has slept for longer than schedules are remembered', async () => {
    const clock = new (class extends VirtualClock {
      sleptMs = 0;
      override now(): number {
        return super.now() + this.sleptMs;
      }
    })();
    const { Noting, runs } = noting('1m');
    const app = await start({
      providers: [Noting],
      override: (builder) => builder.overrideProvider(Clock).useValue(clock),
    });
    await clock.advance(5 * minute);
    clock.sleptMs = 8 * day;
    runs.length = 0;
    await clock.advance(hour);
    expect(runs.length).toBeGreaterThanOrEqual(59);
    await app.runner.stop();
  });

  it('at once where a process that knows them is slower than one that does not', async () => {
    const at: number[] = [];
    @Periodic('10s')
    class Mine {
      run(): void {
        at.push(stranger.now() - resumedAt);
      }
    }
    @Job()
    class Other {
      run(): void {}
    }
    const slow = (turns: number) => (store: Parameters<typeof wrappedSchedules>[0]) =>
      wrappedSchedules(
        store,
        async (method, go, args) => {
          for (let turn = 0; method === 'due' && turn < turns; turn++)
            await new Promise((resolve) => setImmediate(resolve));
          return go(...args);
        },
        { lossless: false },
      );
    const stranger = await start({ providers: [Other], before: slow(0) });
    const mine = await start({ providers: [Mine], beside: stranger, before: slow(3) });
    await stranger.advance(minute);
    await mine.catalog.pause('default');
    await stranger.advance(2 * minute);
    await mine.catalog.resume('default');
    const resumedAt = stranger.now();
    at.length = 0;
    await stranger.advance(minute);
    expect(at[0]).toBeLessThanOrEqual(10 * second);
    expect(at.length).toBeGreaterThanOrEqual(6);
  });

  it('beside a thousand and one whose hooks hang', async () => {
    @Job()
    class Hanging {
      beforeEnqueue(): Promise<void> {
        return new Promise(() => undefined);
      }
      run(): void {}
    }
    let looks = 0;
    const { Noting, runs } = noting('10s');
    const app = await start({
      providers: [Hanging, Noting],
      options: { log: false },
      before: (store) =>
        wrappedSchedules(store, (method, go, args) => {
          if (method === 'due') looks++;
          return go(...args);
        }),
    });
    await app.advance(0);
    for (let n = 0; n < 1_001; n++) await app.jobs.enqueue(Hanging, undefined, { id: `h${n}`, every: '1h' });
    await app.advance(0);
    [looks, runs.length] = [0, 0];
    await app.advance(50 * second);
    expect(runs).toHaveLength(5);
    expect(looks).toBeLessThan(40);
  });
});

describe('a hook that hangs', () => {
  it('is given up after a minute: its slot passes, and that is said', async () => {
    let asked = 0;
    @Periodic('5m')
    class Hanging {
      beforeEnqueue(): Promise<void> {
        asked++;
        return new Promise(() => undefined);
      }
      run(): void {}
    }
    const app = await start({ providers: [Hanging] });
    await app.advance(12 * minute);
    expect(asked).toBe(3);
    expect(await app.catalog.schedule('Hanging')).toMatchObject({ fired: 0, skipped: 3 });
    expect(app.lines.filter(({ message }) => message.includes('did not end within 60000 ms'))).toHaveLength(
      3,
    );
  });
});
