import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Cron, Periodic, type Task } from 'nestjs-jobs';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

/** A periodic job that notes the slots of its runs, and when they were. */
function noting(every: string, options: object = {}, work: (task: Task) => unknown = () => undefined) {
  const runs: { slot: number; at: number }[] = [];
  @Periodic(every, { name: 'Noting', ...options })
  class Noting {
    run(_: void, task: Task): unknown {
      runs.push({ slot: task.slot!.getTime(), at: now() });
      expect(task.scheduleId).toBe('Noting');
      return work(task);
    }
  }
  let now = (): number => 0;
  return { Noting, runs, clock: (read: () => number) => (now = read) };
}

describe('a periodic job', () => {
  it('runs at once where it has never run, then on a grid that does not drift', async () => {
    const { Noting, runs, clock } = noting('1m');
    const app = await start({ providers: [Noting] });
    clock(() => app.now());
    const beganAt = app.now();
    await app.advance(0);
    expect(runs).toEqual([{ slot: beganAt, at: beganAt }]);
    await app.advance(59_999);
    expect(runs).toHaveLength(1);
    await app.advance(1);
    expect(runs).toHaveLength(2);
    await app.advance(58 * minute);
    expect(runs).toEqual(
      Array.from({ length: 60 }, (_, n) => ({ slot: beganAt + n * minute, at: beganAt + n * minute })),
    );
  });

  it('makes no extra run when it is started again inside its interval', async () => {
    const { Noting, runs, clock } = noting('1m');
    const first = await start({ providers: [Noting] });
    clock(() => first.now());
    await first.advance(59 * second);
    await first.runner.stop();
    await first.runner.start();
    const other = await start({ providers: [noting('1m').Noting], beside: first });
    await first.advance(0);
    expect(runs).toHaveLength(1);
    await other.runner.stop();
    await first.advance(second);
    expect(runs).toHaveLength(2);
  });

  it('runs once per slot with several processes', async () => {
    const [one, two, three] = [noting('1m'), noting('1m'), noting('1m')];
    const first = await start({ providers: [one.Noting] });
    await start({ providers: [two.Noting], beside: first });
    await start({ providers: [three.Noting], beside: first });
    await first.advance(10 * minute);
    const slots = [...one.runs, ...two.runs, ...three.runs].map(({ slot }) => slot);
    expect(slots.length).toBe(11);
    expect(new Set(slots).size).toBe(11);
  });

  it('catches up with one run after hours without a process, and goes on by its grid', async () => {
    const { Noting, runs, clock } = noting('1h');
    const app = await start({ providers: [Noting] });
    clock(() => app.now());
    const beganAt = app.now();
    await app.advance(30 * minute);
    await app.runner.stop();
    await app.advance(10 * hour);
    expect(runs).toHaveLength(1);
    await app.runner.start();
    await app.advance(0);
    expect(runs.slice(1)).toEqual([{ slot: beganAt + 10 * hour, at: beganAt + 10.5 * hour }]);
    await app.advance(30 * minute);
    expect(runs.at(-1)).toEqual({ slot: beganAt + 11 * hour, at: beganAt + 11 * hour });
    expect(await app.catalog.schedule('Noting')).toMatchObject({ fired: 3, skipped: 9 });
  });

  it('catches up with none, or with the latest few, where it says so', async () => {
    for (const [missed, caughtUp] of [
      ['skip', []],
      [{ all: 3 }, [8, 9, 10]],
    ] as const) {
      const { Noting, runs } = noting('1h', { missed });
      const app = await start({ providers: [Noting] });
      const beganAt = app.now();
      await app.advance(30 * minute);
      await app.runner.stop();
      await app.advance(10 * hour);
      await app.runner.start();
      await app.advance(0);
      expect(runs.slice(1).map(({ slot }) => (slot - beganAt) / hour)).toEqual(caughtUp);
    }
  });

  it('misses its slots while its queue is paused', async () => {
    const { Noting, runs } = noting('1m', { queue: 'slow' });
    const app = await start({ providers: [Noting] });
    const beganAt = app.now();
    await app.advance(30 * second);
    await app.catalog.pause('slow');
    await app.advance(5 * minute);
    expect(runs).toHaveLength(1);
    await app.catalog.resume('slow');
    await app.advance(0);
    expect(runs.map(({ slot }) => (slot - beganAt) / minute)).toEqual([0, 5]);
    await app.advance(30 * second);
    expect(runs.map(({ slot }) => (slot - beganAt) / minute)).toEqual([0, 5, 6]);
  });

  it('skips a slot whose predecessor still runs, and counts it', async () => {
    const end = gate();
    let runs = 0;
    @Periodic('1m')
    class Slow {
      async run(): Promise<void> {
        if (++runs === 1) await end.opened;
      }
    }
    const app = await start({ providers: [Slow] });
    await app.advance(3 * minute);
    expect(runs).toBe(1);
    expect(await app.catalog.schedule('Slow')).toMatchObject({ fired: 1, skipped: 3 });
    expect(app.lines).toContainEqual({
      level: 'log',
      context: 'Slow',
      message: expect.stringMatching(/^schedule Slow: slot .* is skipped, task .* is not finished$/),
    });
    end.open();
    await app.advance(minute);
    expect(runs).toBe(2);
  });

  it('queues the tasks of its slots, or replaces the one that runs, where it says so', async () => {
    const started: number[] = [];
    const aborted: number[] = [];
    const handler = (overlap: 'queue' | 'replace') => {
      @Periodic('1m', { overlap, name: overlap })
      class Slow {
        async run(_: void, { slot, signal }: Task): Promise<void> {
          started.push(slot!.getTime());
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              aborted.push(slot!.getTime());
              reject(new Error('stopped'));
            });
          });
        }
      }
      return Slow;
    };
    const queueing = await start({ providers: [handler('queue')] });
    await queueing.advance(2 * minute);
    expect([started.length, aborted.length]).toEqual([3, 0]);
    started.length = 0;
    const replacing = await start({ providers: [handler('replace')] });
    const beganAt = replacing.now();
    await replacing.advance(2 * minute + second);
    expect(started).toEqual([beganAt, beganAt + minute, beganAt + 2 * minute]);
    expect(aborted).toEqual([beganAt, beganAt + minute]);
    expect(await replacing.catalog.counts('default')).toMatchObject({ cancelled: 2, pending: 1 });
  });

  it('does not try a failed run again by default: its next slot is the next try', async () => {
    const { Noting, runs } = noting('1m', {}, () => {
      throw new Error('no');
    });
    const app = await start({ providers: [Noting] });
    await app.advance(minute - 1);
    expect(runs).toHaveLength(1);
    await app.advance(1);
    expect(runs).toHaveLength(2);
  });

  it('places no retry at or after its next slot', async () => {
    const { Noting, runs, clock } = noting('1m', { retries: 5, backoff: ['20s', '50s'] }, () => {
      throw new Error('no');
    });
    const app = await start({ providers: [Noting] });
    clock(() => app.now());
    const beganAt = app.now();
    await app.advance(2 * minute - 1);
    expect(runs.map(({ at }) => (at - beganAt) / second)).toEqual([0, 20, 60, 80]);
    expect((await app.catalog.counts('default')).dead).toBe(2);
  });

  it('ends when its until has come, and is gone then', async () => {
    const from = new Date(Date.UTC(2030, 0, 1));
    const until = new Date(from.getTime() + 3 * minute);
    const { Noting, runs } = noting('1m', { from, until });
    const app = await start({ providers: [Noting] });
    await app.advance(10 * minute);
    expect(runs).toHaveLength(3);
    expect(await app.catalog.schedule('Noting')).toBeUndefined();
    await app.runner.stop();
    await app.runner.start();
    await app.advance(10 * minute);
    expect(runs).toHaveLength(3);
  });

  it('goes on after its span was changed in code as if it had been that since its last slot', async () => {
    const before = noting('1h');
    const first = await start({ providers: [before.Noting] });
    const beganAt = first.now();
    await first.advance(5 * minute);
    await first.runner.stop();
    const after = noting('10m');
    await start({ providers: [after.Noting], beside: first });
    await first.advance(0);
    expect(after.runs).toHaveLength(0);
    await first.advance(25 * minute);
    expect(after.runs.map(({ slot }) => (slot - beganAt) / minute)).toEqual([10, 20, 30]);
  });

  it('is not fired by a process that does not declare it', async () => {
    const { Noting, runs } = noting('1m');
    @Periodic('1d')
    class Other {
      run(): void {}
    }
    const first = await start({ providers: [Noting] });
    await first.advance(0);
    await first.runner.stop();
    const without = await start({ providers: [Other], beside: first });
    await first.advance(3 * day);
    expect(runs).toHaveLength(1);
    expect(await without.catalog.schedule('Noting')).toBeDefined();
    await first.advance(8 * day);
    expect(await without.catalog.schedule('Noting')).toBeUndefined();
    expect(await without.catalog.schedule('Other')).toBeDefined();
  });

  it('takes its schedule along to another queue', async () => {
    const before = noting('1m', { queue: 'here' });
    const first = await start({ providers: [before.Noting] });
    await first.advance(0);
    await first.runner.stop();
    const after = noting('1m', { queue: 'there' });
    const other = await start({ providers: [after.Noting], beside: first });
    await first.advance(0);
    expect(await other.catalog.schedule({ queue: 'here', id: 'Noting' })).toBeUndefined();
    expect(await other.catalog.schedule({ queue: 'there', id: 'Noting' })).toBeDefined();
  });

  it('has no schedule where it is disabled, and can still be enqueued', async () => {
    const { Noting } = noting('1m', { disabled: true, name: 'Idle' });
    const app = await start({ providers: [Noting] });
    await app.advance(hour);
    expect(await app.catalog.schedule('Idle')).toBeUndefined();
  });

  it('makes no schedule in a process that only enqueues, or whose runner leaves schedules alone', async () => {
    for (const runner of [false, { schedules: false }] as const) {
      const { Noting, runs } = noting('1m');
      const app = await start({ providers: [Noting], options: { runner } });
      await app.advance(hour);
      expect(runs).toHaveLength(0);
      expect(await app.catalog.schedule('Noting')).toBeUndefined();
    }
  });
});

describe('recurring methods of a provider', () => {
  it('run as jobs of their own', async () => {
    const calls: string[] = [];
    @Injectable()
    class Reports {
      private readonly name = 'reports';

      @Periodic('1h')
      prune(_: void, task: Task): void {
        calls.push(`${this.name} ${task.job}`);
      }

      @Cron('0 8 * * *', { timeZone: 'Europe/Berlin' })
      send(): void {
        calls.push('sent');
      }
    }
    const app = await start({ providers: [Reports] });
    await app.advance(0);
    expect(calls).toEqual(['reports Reports.prune']);
    // 1 January, 08:00 in Berlin is 07:00 UTC.
    await app.advance(7 * hour - 1);
    expect(calls).not.toContain('sent');
    await app.advance(1);
    expect(calls.filter((call) => call === 'sent')).toHaveLength(1);
    await app.advance(day);
    expect(calls.filter((call) => call === 'sent')).toHaveLength(2);
  });
});
