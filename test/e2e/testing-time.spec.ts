import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  Clock,
  Cron,
  Job,
  JobQueue,
  Periodic,
  TaskTimeoutError,
  type JobHandler,
  type Task,
} from 'nestjs-jobs';
import type { VirtualClock } from '../../lib/testing/virtual-clock.js';
import { startUnderTest } from './fixtures/testing-app.js';

const start = new Date('2030-01-01T00:00:00Z');
const day = 86_400_000;

/** Everything that happens, with the time that the injected clock has. */
@Injectable()
class Journal {
  readonly lines: string[] = [];

  constructor(private readonly clock: Clock) {}

  write(what: string) {
    this.lines.push(`${new Date(this.clock.now()).toISOString().slice(5, 19)} ${what}`);
  }
}

@Job()
class Note implements JobHandler<string> {
  constructor(private readonly journal: Journal) {}

  run(what: string, { attempt }: Task) {
    this.journal.write(attempt > 1 ? `${what} ${attempt}` : what);
    if (what.startsWith('failing') && attempt < 3) throw new Error(what);
  }
}

@Periodic('12h')
class HalfDaily {
  constructor(private readonly journal: Journal) {}

  run() {
    this.journal.write('half-daily');
  }
}

describe('Virtual time', () => {
  it('fires delays, retries, slots and children on the way, in order, each at its time', async () => {
    @Job()
    class Parent {
      constructor(
        private readonly queue: JobQueue,
        private readonly journal: Journal,
      ) {}

      async run() {
        this.journal.write('parent');
        await this.queue.enqueue(Note, 'child', { in: '6h' });
      }
    }
    const providers = [Journal, Note, HalfDaily, Parent];
    const { queue, jobs, app, troubles } = await startUnderTest({ providers }, { now: start });
    await queue.enqueue(Note, 'in a day', { in: '1d' });
    await queue.enqueue(Note, 'at noon of the second', {
      at: new Date('2030-01-02T12:00:00Z'),
      priority: -1,
    });
    await queue.enqueue(Parent, undefined, { in: '2h' });
    await queue.enqueue(Note, 'failing', { in: '3h', retries: ['1h', '2d'] });
    await queue.enqueue(Note, 'too late', { in: '4d' });
    await jobs.advance('3d');
    expect(app.get(Journal).lines).toEqual([
      '01-01T00:00:00 half-daily',
      '01-01T02:00:00 parent',
      '01-01T03:00:00 failing',
      '01-01T04:00:00 failing 2',
      '01-01T08:00:00 child',
      '01-01T12:00:00 half-daily',
      '01-02T00:00:00 in a day',
      '01-02T00:00:00 half-daily',
      '01-02T12:00:00 at noon of the second',
      '01-02T12:00:00 half-daily',
      '01-03T00:00:00 half-daily',
      '01-03T04:00:00 failing 3',
      '01-03T12:00:00 half-daily',
      '01-04T00:00:00 half-daily',
    ]);
    expect(jobs.now).toEqual(new Date('2030-01-04T00:00:00Z'));
    expect(troubles.filter((line) => !line.includes('Error: failing; it runs again'))).toEqual([]);
  });

  it('fires a delay at its millisecond and not before', async () => {
    const { queue, jobs, app } = await startUnderTest({ providers: [Journal, Note] }, { now: start });
    await queue.enqueue(Note, 'a', { in: '3s' });
    await jobs.advance(2_999);
    expect(app.get(Journal).lines).toEqual([]);
    await jobs.advance(1);
    expect(app.get(Journal).lines).toEqual(['01-01T00:00:03 a']);
  });

  it('follows the wall clock of a zone over both changes of daylight saving', async () => {
    @Cron('0 8 * * *', { timeZone: 'Europe/Berlin' })
    class Morning {
      constructor(private readonly journal: Journal) {}

      run() {
        this.journal.write('08:00 in Berlin');
      }
    }
    const days = async (now: string) => {
      const { jobs, app } = await startUnderTest({ providers: [Journal, Morning] }, { now: new Date(now) });
      await jobs.advance('3d');
      return app.get(Journal).lines;
    };
    expect(await days('2030-03-29T12:00:00Z')).toEqual([
      '03-30T07:00:00 08:00 in Berlin',
      '03-31T06:00:00 08:00 in Berlin',
      '04-01T06:00:00 08:00 in Berlin',
    ]);
    expect(await days('2030-10-25T12:00:00Z')).toEqual([
      '10-26T06:00:00 08:00 in Berlin',
      '10-27T07:00:00 08:00 in Berlin',
      '10-28T07:00:00 08:00 in Berlin',
    ]);
  });

  it('takes months as the calendar has them', async () => {
    const { jobs } = await startUnderTest({}, { now: new Date('2030-01-31T00:00:00Z') });
    await jobs.advance('1mo');
    expect(jobs.now).toEqual(new Date('2030-02-28T00:00:00Z'));
    await expect(jobs.advance('-1d')).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'advance' });
  });

  it('lets tasks expire, and kept ones go', async () => {
    const { queue, jobs, app, catalog } = await startUnderTest(
      { providers: [Journal, Note] },
      { now: start },
    );
    const { id } = await queue.enqueue(Note, 'a', { expires: '1h' });
    const kept = await queue.enqueue(Note, 'b', { in: '2h', keep: '1h' });
    await catalog.pause('default', { for: '90m' });
    await jobs.advance('2h');
    expect(app.get(Journal).lines).toEqual(['01-01T02:00:00 b']);
    expect(await catalog.task(id)).toMatchObject({ state: 'cancelled', reason: 'expired' });
    expect(await catalog.task(kept.id)).toMatchObject({ state: 'succeeded' });
    await jobs.advance('1h');
    expect(await catalog.task(kept.id)).toBeUndefined();
  });

  it('ends a handler that hangs at its timeout, and again at each retry', async () => {
    const reasons: unknown[] = [];
    @Job({ timeout: '30s', retries: ['1m', '1m'] })
    class Hang {
      constructor(private readonly journal: Journal) {}

      async run(_: void, { signal }: Task) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push(signal.reason);
        this.journal.write('aborted');
      }
    }
    const providers = [Journal, Hang];
    const { queue, jobs, app } = await startUnderTest({ providers }, { now: start, patience: 50 });
    await queue.enqueue(Hang);
    await jobs.advance('1h');
    expect(app.get(Journal).lines).toEqual([
      '01-01T00:00:30 aborted',
      '01-01T00:02:00 aborted',
      '01-01T00:03:30 aborted',
    ]);
    expect(reasons).toEqual([0, 1, 2].map(() => expect.any(TaskTimeoutError)));
  });

  it('stands still for a handler that really takes longer than the patience, on a slow machine or for a connection', async () => {
    const slow = {
      /** Cold code keeps the event loop, with turns in between. */
      async compute(): Promise<void> {
        for (let turns = 0; turns < 4; turns++) {
          const until = performance.now() + 150;
          while (performance.now() < until);
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
      async connect(): Promise<void> {
        const server = createServer((socket) => void setTimeout(() => socket.end('welcome'), 250));
        await once(server.listen(0), 'listening');
        const socket = connect((server.address() as AddressInfo).port);
        await once(socket, 'data');
        socket.destroy();
        server.close();
      },
    };
    @Job({ timeout: '30s', retries: 1 })
    class Slow {
      async run(how: keyof typeof slow) {
        await slow[how]();
      }
    }
    const { queue, jobs, catalog } = await startUnderTest(
      { providers: [Slow] },
      { now: start, patience: 100 },
    );
    for (const how of ['compute', 'connect'] as const) {
      const task = await queue.enqueue(Slow, how, { keep: '1h' });
      await jobs.advance('1m');
      expect(await catalog.task(task)).toMatchObject({ state: 'succeeded', attempt: 1 });
      expect(await jobs.runJob(Slow, how)).toMatchObject({ type: 'succeeded' });
    }
  });

  it('lets a handler wait for it, over the end of an advance', async () => {
    @Job()
    class Wait {
      constructor(
        private readonly clock: Clock,
        private readonly journal: Journal,
      ) {}

      async run() {
        await new Promise<void>((resolve) => this.clock.after(600_000, resolve));
        this.journal.write('waited');
      }
    }
    const providers = [Journal, Wait, Note];
    const { queue, jobs, app, catalog } = await startUnderTest({ providers }, { now: start, patience: 50 });
    await queue.enqueue(Wait);
    await jobs.advance('5m');
    expect(await catalog.counts('default')).toMatchObject({ pending: 1 });
    await queue.enqueue(Note, 'beside it');
    await jobs.advance('5m');
    expect(app.get(Journal).lines).toEqual(['01-01T00:05:00 beside it', '01-01T00:10:00 waited']);
    await queue.enqueue(Wait);
    expect(await jobs.drain()).toMatchObject({ succeeded: 1 });
    expect(app.get(Journal).lines.at(-1)).toBe('01-01T00:20:00 waited');
  });

  it('passes schedules by while it drains; what they missed follows their rules', async () => {
    const { queue, jobs, app } = await startUnderTest(
      { providers: [Journal, Note, HalfDaily] },
      { now: start },
    );
    await jobs.advance(0);
    await queue.enqueue(Note, 'in two days', { in: '2d' });
    await jobs.drain();
    expect(app.get(Journal).lines).toEqual(['01-01T00:00:00 half-daily', '01-03T00:00:00 in two days']);
    await jobs.advance('11h');
    // One for all that were missed.
    expect(app.get(Journal).lines.slice(2)).toEqual(['01-03T00:00:00 half-daily']);
  });

  it('lists schedules that a call has put, and the tasks that they make', async () => {
    const { queue, jobs } = await startUnderTest({ providers: [Journal, Note, HalfDaily] }, { now: start });
    await queue.enqueue(Note, 'daily', { cron: '0 8 * * *', id: 'digest' });
    expect(jobs.enqueued()).toEqual([
      {
        job: 'Note',
        id: 'digest',
        queue: 'default',
        params: 'daily',
        options: { cron: '0 8 * * *', id: 'digest' },
        priority: 0,
        dueAt: new Date('2030-01-01T08:00:00Z'),
        isRecurring: true,
      },
    ]);
    await queue.enqueue(Note, 'weekly', { cron: '0 8 * * 1', id: 'digest', replace: true });
    expect(jobs.enqueued(Note)).toMatchObject([
      { params: 'weekly', dueAt: new Date('2030-01-07T08:00:00Z') },
    ]);
    await jobs.advance('7d');
    const [, made] = jobs.enqueued(Note);
    expect(made).toMatchObject({
      params: 'weekly',
      scheduleId: 'digest',
      slot: new Date('2030-01-07T08:00:00Z'),
    });
    expect(jobs.enqueued(HalfDaily)).toHaveLength(15);
  });

  it('takes calls that are not awaited one after the other', async () => {
    const { queue, jobs, app } = await startUnderTest({ providers: [Journal, Note] }, { now: start });
    await queue.enqueue(Note, 'a', { in: '1h' });
    await queue.enqueue(Note, 'b', { in: '3h' });
    await Promise.all([jobs.advance('2h'), jobs.drain(), jobs.advance('1h')]);
    expect(app.get(Journal).lines).toEqual(['01-01T01:00:00 a', '01-01T03:00:00 b']);
    expect(jobs.now.getTime() - start.getTime()).toBe(4 * 3_600_000);
  });

  it('passes through a quarter with a periodic job in far fewer steps than a runner sweeps', async () => {
    const { app, jobs } = await startUnderTest({ providers: [Journal, HalfDaily] }, { now: start });
    const clock = app.get<VirtualClock>(Clock);
    const { timersSet } = clock;
    await jobs.advance(90 * day);
    expect(jobs.enqueued(HalfDaily)).toHaveLength(181);
    // A sweep every five seconds would alone be a million and a half.
    expect(clock.timersSet - timersSet).toBeLessThan(50_000);
  });
});
