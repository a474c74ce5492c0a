import { describe, expect, it } from '@jest/globals';
import { Controller, Injectable, Module, Scope } from '@nestjs/common';
import {
  InvalidJobError,
  InvalidOptionError,
  Job,
  NotAJobError,
  OnTask,
  Task,
  type JobEvent,
  type JobEventOf,
} from 'nestjs-jobs';
import { settled, startApp } from '../support/app.js';
import { aborted, gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { startUnderTest } from './fixtures/testing-app.js';
import { down, TroubledStore } from './fixtures/troubled-store.js';

@Job({ queue: 'mail', retries: 0 })
class Send {
  run(how: string, task: Task): string {
    if (how === 'fail') throw new Error('no such mailbox');
    if (how === 'snooze') task.snooze('1h');
    return how;
  }
}

@Job({ name: 'Tidied', retries: [1_000] })
class Tidy {
  run(): void {
    throw new Error('never tidy');
  }
}

function hearing(...args: unknown[]) {
  const heard: JobEvent[] = [];
  @Injectable()
  class Ear {
    @OnTask(...(args as ['dead']))
    hear(event: JobEvent): void {
      heard.push(event);
    }
  }
  return { heard, Ear };
}

describe('a method with @OnTask', () => {
  it('hears what happens to a task that succeeds, and in which process', async () => {
    const { heard, Ear } = hearing('enqueued', 'started', 'succeeded', 'failed', 'dead');
    const { jobs, advance } = await startApp({ providers: [Send, Ear] });
    const { id } = await jobs.enqueue(Send, 'ok', { in: '1m', keep: '1h' });
    await advance(61_000);
    const origin = expect.stringContaining(`:${process.pid}:`);
    const common = { queue: 'mail', id, job: 'Send', origin };
    expect(heard).toEqual([
      { ...common, type: 'enqueued', isReplaced: false, dueInMs: 60_000 },
      { ...common, type: 'started', attempt: 1, waitMs: 0 },
      { ...common, type: 'succeeded', attempt: 1, waitMs: 0, runMs: 0, result: '"ok"' },
    ]);
  });

  it('hears each failed attempt, and of the death once', async () => {
    const { heard, Ear } = hearing('failed', 'dead');
    const { jobs, advance } = await startApp({ providers: [Tidy, Ear] });
    await jobs.enqueue(Tidy);
    await advance(10_000);
    expect(heard.map(({ type, ...event }) => [type, 'attempt' in event && event.attempt])).toEqual([
      ['failed', 1],
      ['failed', 2],
      ['dead', 2],
    ]);
    expect(heard[0]).toMatchObject({ retryInMs: 1_000, error: { name: 'Error', message: 'never tidy' } });
    expect(heard[2]).toMatchObject({ error: { message: 'never tidy', stack: expect.any(String) } });
    expect(heard.every((event) => !('params' in event))).toBe(true);
  });

  it('hears nothing of what a job redacts', async () => {
    const { heard, Ear } = hearing('failed', 'succeeded');
    @Job({ name: 'Charge', retries: 0, redact: ['card'] })
    class Charge {
      run({ card, ok }: { card: string; ok: boolean }): string {
        if (!ok) throw new Error(`card ${card} is refused`);
        return `paid by ${card}`;
      }
    }
    const { jobs, advance } = await startApp({ providers: [Charge, Ear] });
    await jobs.enqueue(Charge, { card: '4111-1111', ok: false });
    await jobs.enqueue(Charge, { card: '4111-1111', ok: true }, { keep: '1h' });
    await advance(0);
    expect(heard).toHaveLength(2);
    expect(JSON.stringify(heard)).not.toContain('4111-1111');
    expect(JSON.stringify(heard)).toContain('card [redacted] is refused');
    expect(heard.find(({ type }) => type === 'succeeded')).toMatchObject({ result: '"paid by [redacted]"' });
  });

  it('hears of the task that a slot makes, with its schedule, from the process that made it', async () => {
    const { heard, Ear } = hearing('enqueued', 'succeeded');
    const { jobs, advance } = await startApp({ providers: [Send, Ear] });
    await jobs.enqueue(Send, 'ok', { every: '1m', id: 'often' });
    await advance(60_000);
    const slots = heard.map(({ type, scheduleId, slot }) => [type, scheduleId, (slot ?? 0) % 60_000]);
    expect(slots).toEqual([
      ['enqueued', 'often', 0],
      ['succeeded', 'often', 0],
      ['enqueued', 'often', 0],
      ['succeeded', 'often', 0],
    ]);
    expect(heard[0]).toMatchObject({ isReplaced: false, dueInMs: 0, id: heard[1]!.id });
  });

  it('hears of a run that was cancelled, parked, rescheduled for a lock, and handed back', async () => {
    const { heard, Ear } = hearing('cancelled', 'parked', 'rescheduled', 'handed-back');
    const unique = { lock: 'while_executing', onConflict: 'reschedule', retryAfter: '10m' } as const;
    @Job({ name: 'Long', unique })
    class Long {
      run(_: string, { signal }: Task): Promise<never> {
        return aborted(signal);
      }
    }
    const { jobs, catalog, runner, store, advance } = await start({
      providers: [Long, Ear],
      options: { runner: { shutdownTimeout: '1s' } },
    });
    await jobs.enqueue(Long, 'a', { id: 'cancelled' });
    await advance(0);
    await jobs.enqueue(Long, 'a', { id: 'rescheduled' });
    await advance(0);
    await catalog.cancel('cancelled');
    await advance(1_000);
    const unknown = { job: 'Gone', params: '', priority: 0, retries: 0, due: { inMs: 0 } };
    await store.tasks.add([[{ ...unknown, queue: 'default', id: 'parked', token: 'parked' }]]);
    await advance(60_000);
    await jobs.enqueue(Long, 'b', { id: 'handed-back' });
    await advance(0);
    const stopping = runner.stop();
    await advance(5_000);
    await stopping;
    expect(heard).toMatchObject([
      { type: 'rescheduled', id: 'rescheduled', delayMs: 600_000 },
      { type: 'cancelled', id: 'cancelled', attempt: 1, reason: expect.any(String) },
      { type: 'parked', id: 'parked', job: 'Gone', reason: 'unknown-job' },
      { type: 'handed-back', id: 'handed-back', runMs: expect.any(Number) },
    ]);
  });

  it('hears of a run whose lease was lost, in the process that ran it', async () => {
    const { heard, Ear } = hearing('lost', 'succeeded');
    const troubled = new TroubledStore();
    const end = gate();
    @Job({ name: 'Work' })
    class Work {
      async run(_: void, { attempt }: Task): Promise<void> {
        if (attempt === 1) await end.opened;
      }
    }
    const app = await start({ providers: [Work, Ear], before: troubled.before });
    const { id } = await app.jobs.enqueue(Work, undefined, { keep: '1h' });
    await app.advance(0);
    troubled.trouble.renew = down;
    const other = await start({ providers: [Work], beside: app });
    await app.advance(60_000);
    expect(await other.catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
    end.open();
    await app.advance(10_000);
    expect(heard).toMatchObject([{ type: 'lost', id, job: 'Work', attempt: 1 }]);
  });

  it('hears of an enqueue in a transaction that it is in one', async () => {
    const { heard, Ear } = hearing('enqueued');
    const { queue } = await startUnderTest({ providers: [Send, Ear] });
    await queue.enqueue(Send, 'ok', { transaction: {} });
    await queue.bulk((bulk) => bulk.enqueue(Send, 'ok'), { transaction: {} });
    await queue.enqueue(Send, 'ok');
    expect(heard.map((event) => 'inTransaction' in event)).toEqual([true, true, false]);
  });

  it('hears only of the types, jobs and queues that it names', async () => {
    const types = hearing('snoozed');
    const byClass = hearing('failed', { job: Tidy });
    const byName = hearing('failed', { job: 'Tidied' });
    const byList = hearing('failed', { job: [Tidy, 'Send'], queue: ['mail', 'other'] });
    const byQueue = hearing('failed', 'snoozed', { queue: 'mail' });
    const ears = [types, byClass, byName, byList, byQueue];
    const { jobs, advance } = await startApp({ providers: [Send, Tidy, ...ears.map(({ Ear }) => Ear)] });
    await jobs.enqueue(Send, 'snooze');
    await jobs.enqueue(Send, 'fail');
    await jobs.enqueue(Tidy);
    await advance(0);
    const told = ears.map(({ heard }) => heard.map(({ job, type }) => `${job} ${type}`));
    expect(told).toEqual([
      ['Send snoozed'],
      ['Tidied failed'],
      ['Tidied failed'],
      ['Send failed'],
      ['Send snoozed', 'Send failed'],
    ]);
  });

  it('is called once for an event that fits two of its decorators', async () => {
    const heard: string[] = [];
    @Injectable()
    class Ear {
      @OnTask('failed', { job: Send })
      @OnTask('failed', 'dead', { queue: 'mail' })
      hear({ type }: JobEventOf<'failed' | 'dead'>): void {
        heard.push(type);
      }
    }
    const { jobs, advance } = await startApp({ providers: [Send, Ear] });
    await jobs.enqueue(Send, 'fail');
    await advance(0);
    expect(heard).toEqual(['failed', 'dead']);
  });

  it('is called on its own instance, may be inherited, and is what an override says', async () => {
    const heard: string[] = [];
    @Injectable()
    class Base {
      private readonly name: string = this.constructor.name;
      @OnTask('enqueued')
      hear(): void {
        heard.push(`${this.name}.hear`);
      }
      @OnTask('enqueued')
      listen(): void {
        heard.push(`${this.name}.listen`);
      }
    }
    @Injectable()
    class Heir extends Base {
      override listen(): void {
        heard.push('never');
      }
    }
    @Controller()
    class Page extends Base {
      @OnTask('enqueued')
      override listen(): void {
        heard.push('Page.own');
      }
    }
    const { jobs } = await startApp({ providers: [Send, Heir], controllers: [Page] });
    await jobs.enqueue(Send, 'ok');
    expect(heard.toSorted()).toEqual(['Heir.hear', 'Page.hear', 'Page.own']);
  });

  it('is called once where two modules provide its class, and for each instance of a factory', async () => {
    const { heard, Ear } = hearing('enqueued');
    @Module({ providers: [Ear] })
    class Other {}
    const { jobs } = await startApp({
      imports: [Other],
      providers: [Send, Ear, { provide: 'second', useFactory: () => new Ear() }],
    });
    await jobs.enqueue(Send, 'ok');
    expect(heard).toHaveLength(2);
  });

  it('harms nobody by throwing or rejecting, and the log says so', async () => {
    const { heard, Ear } = hearing('succeeded');
    @Injectable()
    class Bad {
      @OnTask('enqueued', 'succeeded')
      throwing(): void {
        throw new Error('cannot hear');
      }
      @OnTask('succeeded')
      async rejecting(): Promise<void> {
        await Promise.resolve();
        throw new Error('cannot go on');
      }
    }
    const { jobs, advance, lines } = await startApp({ providers: [Bad, Send, Ear] });
    const { status } = await jobs.enqueue(Send, 'ok');
    await advance(0);
    expect([status, heard.length]).toEqual(['enqueued', 1]);
    const said = lines
      .filter(({ level }) => level === 'error')
      .map((line) => `${line.context}: ${line.message}`);
    expect(said).toEqual([
      expect.stringContaining('a listener failed: Error: cannot hear'),
      expect.stringContaining('a listener failed: Error: cannot hear'),
      expect.stringContaining('a listener failed: Error: cannot go on'),
    ]);
  });

  it('is waited for at the end, before what it may use is destroyed', async () => {
    const steps: string[] = [];
    const mayEnd = gate();
    @Injectable()
    class Database {
      onModuleDestroy(): void {
        steps.push('database closed');
      }
    }
    @Injectable()
    class Ear {
      @OnTask('succeeded')
      async hear(): Promise<void> {
        await mayEnd.opened;
        steps.push('heard');
      }
    }
    const { app, jobs, advance } = await startApp({ providers: [Send, Database, Ear] });
    await jobs.enqueue(Send, 'ok');
    await advance(0);
    const closing = app.close();
    await settled();
    expect(steps).toEqual([]);
    mayEnd.open();
    await closing;
    expect(steps).toEqual(['heard', 'database closed']);
  });

  it('that never ends keeps the application for five seconds', async () => {
    @Injectable()
    class Ear {
      @OnTask('succeeded')
      hear(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const { app, jobs, advance } = await startApp({ providers: [Send, Ear] });
    await jobs.enqueue(Send, 'ok');
    await advance(0);
    let isClosed = false;
    const closing = app.close().then(() => (isClosed = true));
    await advance(4_999);
    expect(isClosed).toBe(false);
    await advance(1);
    await closing;
  });

  it('hears what a drain brings to its end', async () => {
    const mayEnd = gate();
    @Job()
    class Slow {
      run(): Promise<void> {
        return mayEnd.opened;
      }
    }
    const { heard, Ear } = hearing('succeeded');
    const { app, jobs, advance } = await startApp({ providers: [Slow, Ear] });
    await jobs.enqueue(Slow);
    await advance(0);
    const closing = app.close();
    await settled();
    mayEnd.open();
    await closing;
    expect(heard).toHaveLength(1);
  });

  it('that never ends is not kept in mind without end, and that is said once', async () => {
    let calls = 0;
    @Injectable()
    class Ear {
      @OnTask('enqueued')
      hear(): Promise<void> {
        calls++;
        return new Promise(() => undefined);
      }
    }
    const { jobs, lines } = await startApp({ providers: [Send, Ear], options: { runner: false } });
    await jobs.bulk((bulk) => {
      for (let n = 0; n < 1_010; n++) bulk.enqueue(Send, 'ok');
    });
    expect(calls).toBe(1_010);
    const said = lines.filter(({ message }) => message.includes('1000 calls of listeners have not ended'));
    expect(said).toMatchObject([{ level: 'warn', context: 'Ear.hear' }]);
  });

  it('of a provider that is made for each request stops the start', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Ear {
      @OnTask('dead')
      hear(): void {}
    }
    const starting = startApp({ providers: [Ear] });
    await expect(starting).rejects.toThrow(InvalidJobError);
    await expect(starting).rejects.toThrow('Ear.hear: @OnTask serves all tasks');
  });

  it('with a filter by a class that is no job stops the start', async () => {
    class Plain {
      run(): void {}
    }
    const { Ear } = hearing('dead', { job: Plain });
    await expect(startApp({ providers: [Ear] })).rejects.toThrow(NotAJobError);
  });

  it('refuses what there is not, where the class is loaded', () => {
    expect(() => hearing('ded')).toThrow(InvalidOptionError);
    expect(() => hearing('ded')).toThrow('Ear.hear: @OnTask: type is "ded", but must be one or several of');
    expect(() => hearing('dead', { jobs: 'x' })).toThrow('filter.jobs is "x"');
    expect(() => hearing()).toThrow(InvalidOptionError);
    expect(() => {
      class Ear {
        @OnTask('dead')
        static hear(): void {}
      }
      return Ear;
    }).toThrow('Ear.hear: @OnTask is for methods of an instance');
  });

  it('is left out where a test has put something without it in its place', async () => {
    const { heard, Ear } = hearing('enqueued');
    const { jobs } = await startApp({
      providers: [Send, Ear],
      override: (builder) => builder.overrideProvider(Ear).useValue({}),
    });
    await jobs.enqueue(Send, 'ok');
    expect(heard).toEqual([]);
  });
});
