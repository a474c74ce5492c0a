import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Type } from 'class-transformer';
import { IsDate, IsEmail, IsOptional, IsString } from 'class-validator';
import {
  Clock,
  Job,
  JobNotProvidedError,
  JobQueue,
  JobRunner,
  JobsModule,
  NotAJobError,
  Periodic,
  type JobHandler,
  type Task,
} from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { EndlessWorkError, JobsTestingModule, TestJobs, TestJobsError } from 'nestjs-jobs/testing';
import { settled } from '../support/app.js';
import { watchingTimers } from '../support/open-timers.js';
import { silentLogger, startUnderTest } from './fixtures/testing-app.js';

class Welcome {
  @IsEmail() to!: string;
  @IsOptional() @IsString() from?: string = 'no-reply@example.com';
  @IsOptional() @Type(() => Date) @IsDate() on?: Date;
}

@Injectable()
class Outbox {
  readonly sent: string[] = [];
  failures = 0;
}

@Job({ params: Welcome, queue: 'mail', unique: { lock: 'until_executed' } })
class SendWelcome implements JobHandler<Welcome> {
  constructor(
    private readonly outbox: Outbox,
    private readonly queue: JobQueue,
  ) {}

  async run({ to }: Welcome, task: Task<Welcome>) {
    if (this.outbox.failures-- > 0) throw new Error('the mail server does not answer');
    this.outbox.sent.push(`${to} at attempt ${task.attempt}`);
    if (to.startsWith('ada')) await this.queue.enqueue(Note, `welcomed ${to}`, { queue: 'notes', in: '1h' });
  }
}

@Job()
class Note implements JobHandler<string> {
  constructor(private readonly outbox: Outbox) {}

  run(what: string) {
    this.outbox.sent.push(what);
  }
}

@Periodic('1m')
class Beat {
  constructor(private readonly outbox: Outbox) {}

  run() {
    this.outbox.sent.push('beat');
  }
}

const providers = [Outbox, SendWelcome, Note];

@Module({
  imports: [JobsModule.forRoot({ backend: 'redis://nowhere.invalid:1' })],
  providers: [...providers, Beat],
})
class AppModule {}

const start = () => startUnderTest({ providers });

describe('An application under test, manual', () => {
  it('runs nothing before it is drained, and lists delayed tasks, too', async () => {
    const { queue, jobs, app } = await start();
    await queue.enqueue(SendWelcome, { to: 'ada@example.com' });
    await queue.enqueue(Note, 'later', { in: '5m', priority: 3 });
    await settled();
    expect(app.get(Outbox).sent).toEqual([]);
    expect(jobs.enqueued().map(({ job }) => job)).toEqual(['SendWelcome', 'Note']);
    expect(jobs.enqueued(Note)).toEqual([
      {
        job: 'Note',
        id: expect.any(String),
        queue: 'default',
        params: 'later',
        options: { in: '5m', priority: 3 },
        priority: 3,
        dueAt: new Date(jobs.now.getTime() + 300_000),
        isRecurring: false,
      },
    ]);
    await jobs.drain();
    expect(app.get(Outbox).sent).toEqual([
      'ada@example.com at attempt 1',
      'later',
      'welcomed ada@example.com',
    ]);
  });

  it('shows params as the handler gets them', async () => {
    const { queue, jobs } = await start();
    const on = new Date('2030-01-01');
    await queue.enqueue(SendWelcome, { to: 'ada@example.com', on });
    const [task] = jobs.enqueued(SendWelcome);
    expect(task!.params).toBeInstanceOf(Welcome);
    expect(task!.params).toEqual({ to: 'ada@example.com', from: 'no-reply@example.com', on });
  });

  it('lists neither what met a lock nor what exists, and of a replaced task the last word', async () => {
    const { queue, jobs } = await start();
    await queue.enqueue(SendWelcome, { to: 'ada@example.com' });
    expect(await queue.enqueue(SendWelcome, { to: 'ada@example.com' })).toMatchObject({ status: 'rejected' });
    await queue.enqueue(Note, 'one', { id: 'note' });
    await queue.enqueue(Note, 'two', { id: 'note' });
    await queue.enqueue(Note, 'three', { id: 'note', replace: true });
    expect(jobs.enqueued(SendWelcome)).toHaveLength(1);
    expect(jobs.enqueued(Note)).toMatchObject([{ params: 'three', options: { id: 'note', replace: true } }]);
  });

  it('lists the tasks of a bulk with what each call said', async () => {
    const { queue, jobs } = await start();
    await queue.bulk((bulk) => {
      bulk.enqueue(Note, 'one', { in: '1h' });
      bulk.enqueue(Note, 'two');
    });
    expect(jobs.enqueued(Note)).toMatchObject([
      { params: 'one', options: { in: '1h' } },
      { params: 'two', options: {} },
    ]);
  });

  it('drains retries and children, moving the clock to each, and counts what came of it', async () => {
    const { queue, jobs, app } = await start();
    app.get(Outbox).failures = 2;
    await queue.enqueue(SendWelcome, { to: 'ada@example.com' });
    const before = jobs.now.getTime();
    expect(await jobs.drain()).toEqual({ succeeded: 2, failed: 2, dead: 0, cancelled: 0, snoozed: 0 });
    expect(app.get(Outbox).sent).toEqual(['ada@example.com at attempt 3', 'welcomed ada@example.com']);
    // Pauses of 2 s and 8 s, then the child's hour.
    expect(jobs.now.getTime() - before).toBe(10_000 + 3_600_000);
  });

  it('has time stand still between, also for what it enqueues then', async () => {
    const { queue, jobs, catalog } = await start();
    const before = jobs.now;
    await queue.enqueue(Note, 'a', { in: '1ms' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(jobs.now).toEqual(before);
    expect(await catalog.counts('default')).toMatchObject({ scheduled: 1, waiting: 0 });
  });

  it('says what keeps a drain from ending: a task that enqueues itself', async () => {
    @Job()
    class Again {
      constructor(private readonly queue: JobQueue) {}

      async run() {
        await this.queue.enqueue(Again, undefined, { in: '1m' });
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Again] }, { limit: 50 });
    await queue.enqueue(Again);
    const draining = jobs.drain();
    await expect(draining).rejects.toBeInstanceOf(EndlessWorkError);
    await expect(draining).rejects.toThrow(
      /more than 50 runs.*Again 51 times.*1 of Again scheduled.*advance\(\)/,
    );
  });

  it('says the same where no time passes', async () => {
    @Job()
    class Again {
      constructor(private readonly queue: JobQueue) {}

      async run() {
        await this.queue.enqueue(Again);
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Again] }, { limit: 50 });
    await queue.enqueue(Again);
    await expect(jobs.advance('1s')).rejects.toThrow(/50 runs without time passing.*Again/);
    // Nothing goes on behind the test's back.
    const { length } = jobs.enqueued();
    await settled();
    expect(jobs.enqueued().length).toBeLessThanOrEqual(length + 1);
  });

  it('says what keeps a drain from ending: a handler that never returns', async () => {
    @Job()
    class Hang {
      run() {
        return new Promise(() => undefined);
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Hang] }, { patience: 50 });
    await queue.enqueue(Hang);
    await expect(jobs.drain()).rejects.toThrow(
      /nothing gets any further.*1 of Hang still running.*longer than 50 ms of real time/,
    );
  });

  it('says what keeps a drain from ending: a paused queue', async () => {
    const { queue, jobs, catalog } = await start();
    await catalog.pause('default');
    await queue.enqueue(Note, 'a');
    await expect(jobs.drain()).rejects.toThrow(/1 of Note waiting in the paused queue default/);
    await catalog.resume('default');
    expect(await jobs.drain()).toMatchObject({ succeeded: 1 });
  });

  it('forgets all that was enqueued, and takes it out of the store', async () => {
    const { queue, jobs, app, catalog } = await start();
    await queue.enqueue(SendWelcome, { to: 'ada@example.com' });
    await queue.enqueue(Note, 'later', { in: '5m' });
    await queue.enqueue(Note, 'hourly', { every: '1h' });
    await jobs.clear();
    expect(jobs.enqueued()).toEqual([]);
    expect(await jobs.drain()).toMatchObject({ succeeded: 0 });
    await jobs.advance('2h');
    expect(app.get(Outbox).sent).toEqual([]);
    expect((await catalog.schedules()).schedules).toHaveLength(0);
    // The lock went along.
    expect(await queue.enqueue(SendWelcome, { to: 'ada@example.com' })).toMatchObject({ status: 'enqueued' });
  });

  it('waits for handlers that wait for the outside world', async () => {
    @Job({ timeout: '1s' })
    class Fetch {
      async run() {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Fetch] });
    await queue.enqueue(Fetch);
    expect(await jobs.drain()).toMatchObject({ succeeded: 1, failed: 0 });
    await queue.enqueue(Fetch, undefined, { in: '1m' });
    await jobs.advance('1d');
    expect(await jobs.drain()).toMatchObject({ succeeded: 0 });
  });

  it('gives the result of a task that is awaited while it is drained', async () => {
    @Job({ keep: '1h' })
    class Count implements JobHandler<void, number> {
      run() {
        return 7;
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Count] });
    const result = queue.result(await queue.enqueue(Count, undefined, { in: '10s' }));
    await jobs.drain();
    expect(await result).toBe(7);
  });

  it('tells who awaits a result that nobody lets come what to do', async () => {
    @Job({ keep: '1h' })
    class Count implements JobHandler<void, number> {
      async run() {
        // Longer than one waits in vain: as long as it runs, somebody lets it come.
        await new Promise((resolve) => setTimeout(resolve, 1_200));
        return 7;
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Count] }, { patience: 500 });
    const task = await queue.enqueue(Count);
    const waiting = queue.result(task, { timeout: '1m' });
    await expect(waiting).rejects.toThrow(TestJobsError);
    await expect(waiting).rejects.toThrow(/in mode 'manual' nothing runs by itself.*jobs\.drain\(\)/);
    const awaited = queue.result(task);
    await jobs.drain();
    expect([await awaited, await queue.result(task)]).toEqual([7, 7]);
  });

  it('gives whoever has no patience with handlers the time to begin a drain', async () => {
    @Job({ keep: '1h' })
    class Count implements JobHandler<void, number> {
      run() {
        return 7;
      }
    }
    const { queue, jobs } = await startUnderTest({ providers: [Count] }, { patience: 0 });
    const result = queue.result(await queue.enqueue(Count));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await jobs.drain();
    expect(await result).toBe(7);
  });

  it('leaves no rejection unheard of a result that is awaited behind the drain', async () => {
    @Job({ keep: '1h', retries: 0 })
    class Fail implements JobHandler<void, number> {
      run(): number {
        throw new Error('not today');
      }
    }
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on('unhandledRejection', hear);
    try {
      const { queue, jobs } = await startUnderTest({ providers: [Fail] });
      const result = queue.result(await queue.enqueue(Fail));
      await jobs.drain();
      await new Promise((resolve) => setTimeout(resolve, 50));
      await expect(result).rejects.toThrow('not today');
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });

  it('takes any transaction, and lists the task at once', async () => {
    const { queue, jobs } = await start();
    await queue.enqueue(Note, 'a', { transaction: { query: () => undefined } });
    await queue.bulk((bulk) => bulk.enqueue(Note, 'b'), { transaction: 'anything' });
    expect(jobs.enqueued(Note)).toMatchObject([
      { params: 'a', options: {} },
      { params: 'b', options: {} },
    ]);
    expect(await jobs.drain()).toMatchObject({ succeeded: 2 });
  });
});

describe('Handlers that commit with data, under test', () => {
  @Job({ keep: '1h' })
  class Settle implements JobHandler<string> {
    async run(how: string, task: Task) {
      if (how === 'own') return task.transaction(async (tx: { n: number }) => tx.n);
      await task.complete({}, 'as completed');
      if (how === 'thrown') throw new Error('rolled back');
      return 'as returned';
    }
  }

  const run = async (how: string, options = {}) => {
    const { queue, jobs, catalog } = await startUnderTest({ providers: [Settle] }, options);
    const { id } = await queue.enqueue(Settle, how, { retries: 0 });
    await jobs.drain();
    return (await catalog.task(id))!;
  };

  it('are done when they return, with the result that they completed with', async () => {
    expect(await run('completed')).toMatchObject({ state: 'succeeded', result: 'as completed' });
  });

  it('have failed when they throw after all', async () => {
    expect(await run('thrown')).toMatchObject({ state: 'dead', errors: [{ message: 'rolled back' }] });
  });

  it('begin transactions as the test says', async () => {
    const transaction = <R>(work: (tx: never) => Promise<R>) => work({ n: 7 } as never);
    expect(await run('own', { transaction })).toMatchObject({ state: 'succeeded', result: 7 });
  });

  it('are told that a test has to say so', async () => {
    expect(await run('own')).toMatchObject({
      state: 'dead',
      errors: [
        { message: expect.stringContaining('by the option `transaction` of JobsTestingModule.forRoot') },
      ],
    });
  });
});

describe('JobsTestingModule beside an application', () => {
  it('puts memory in the place of the backend that the application names', async () => {
    const { queue, jobs, app, troubles } = await startUnderTest({ imports: [AppModule] });
    await queue.enqueue(Note, 'a');
    await jobs.drain();
    expect(app.get(Outbox).sent).toEqual(['a']);
    await jobs.advance('1m');
    expect(app.get(Outbox).sent).toEqual(['a', 'beat', 'beat']);
    expect(troubles).toEqual([]);
  });

  it('works in any order of imports, with options made by a factory and a backend made by hand', async () => {
    const backend = redisBackend({ url: 'redis://nowhere.invalid:1' });
    const { jobs, queue } = await startUnderTest({
      imports: [JobsModule.forRootAsync({ useFactory: async () => ({ backend, defaults: { retries: 7 } }) })],
      providers,
    });
    await queue.enqueue(Note, 'a');
    expect(await jobs.drain()).toMatchObject({ succeeded: 1 });
    const app = await Test.createTestingModule({
      imports: [JobsTestingModule.forRoot(), AppModule],
    }).compile();
    await app.init();
    await app.get(JobQueue).enqueue(Note, 'a');
    expect(await app.get(TestJobs).drain()).toMatchObject({ succeeded: 1 });
    await app.close();
  });

  it('keeps the options of the application', async () => {
    const { queue, catalog } = await startUnderTest({
      imports: [JobsModule.forRoot({ defaults: { retries: 7, queue: 'slow' } })],
      providers,
    });
    const { id } = await queue.enqueue(Note, 'a');
    expect(await catalog.task({ queue: 'slow', id })).toMatchObject({ retries: 7 });
  });

  it.each([{ runner: false as const }, { runner: { autoStart: false } }, { runner: { queues: ['mail'] } }])(
    'runs what the application provides, also where its own runner does not: %j',
    async (options) => {
      const { queue, jobs, app } = await startUnderTest({
        imports: [JobsModule.forRoot(options)],
        providers: [...providers, Beat],
      });
      await queue.enqueue(SendWelcome, { to: 'ada@example.com' });
      await jobs.drain();
      expect(app.get(Outbox).sent).toEqual(['ada@example.com at attempt 1', 'welcomed ada@example.com']);
      await jobs.advance('1m');
      expect(app.get(Outbox).sent).toContain('beat');
    },
  );

  it('lists tasks of jobs that another process runs, and says that they cannot run here', async () => {
    @Job()
    class Elsewhere implements JobHandler<string> {
      run(_what: string) {}
    }
    const { queue, jobs } = await startUnderTest({ imports: [JobsModule.forRoot({ runner: false })] });
    await queue.enqueue(Elsewhere, 'a');
    expect(jobs.enqueued(Elsewhere)).toMatchObject([{ params: 'a' }]);
    await expect(jobs.drain()).rejects.toThrow(/tasks of Elsewhere cannot run: no module provides the job/);
  });

  it('runs queues that a call has named first, also from within a task', async () => {
    const { queue, jobs, app } = await start();
    await queue.enqueue(Note, 'a', { queue: 'elsewhere' });
    await queue.enqueue(SendWelcome, { to: 'ada@example.com' });
    await jobs.advance('1h');
    expect(app.get(Outbox).sent.toSorted()).toEqual([
      'a',
      'ada@example.com at attempt 1',
      'welcomed ada@example.com',
    ]);
  });

  it('keeps what is enqueued while the application begins', async () => {
    @Injectable()
    class Early implements OnApplicationBootstrap {
      constructor(private readonly queue: JobQueue) {}

      async onApplicationBootstrap() {
        await this.queue.enqueue(Note, 'early', { queue: 'early' });
      }
    }
    const { jobs, app } = await startUnderTest({ providers: [...providers, Early] });
    expect(jobs.enqueued(Note)).toHaveLength(1);
    await jobs.drain();
    expect(app.get(Outbox).sent).toEqual(['early']);
  });

  it('gives each application its own: two at a time do not see each other', async () => {
    const imports = [JobsTestingModule.forRoot()];
    const both = await Promise.all(
      [1, 2].map(async () => {
        const app = await Test.createTestingModule({ imports, providers }).compile();
        return app.init();
      }),
    );
    const [one, other] = both;
    await one!.get(JobQueue).enqueue(Note, 'a');
    expect(other!.get(TestJobs).enqueued()).toEqual([]);
    await one!.get(TestJobs).advance('1d');
    expect(one!.get(TestJobs).now.getTime() - other!.get(TestJobs).now.getTime()).toBeGreaterThan(86_000_000);
    for (const app of both) await app.close();
  });

  it('leaves nothing open, also where a handler hangs', async () => {
    @Job()
    class Hang {
      run() {
        return new Promise(() => undefined);
      }
    }
    await watchingTimers(async (openTimers) => {
      const app = await Test.createTestingModule({
        imports: [JobsTestingModule.forRoot({ patience: 50 })],
        providers: [...providers, Hang, Beat],
      })
        .setLogger(silentLogger)
        .compile();
      await app.init();
      await app.get(JobQueue).enqueue(Hang);
      await app.get(TestJobs).advance('1m');
      await app.close();
      expect(app.get(JobRunner).isRunning).toBe(false);
      expect(openTimers()).toBe(0);
    });
  });

  it.each([
    ['mode', { mode: 'fast' }],
    ['now', { now: new Date('never') }],
    ['patience', { patience: 'long' }],
    ['limit', { limit: 0 }],
    ['timers', { timers: {} }],
    ['transaction', { transaction: 'one' }],
    ['mood', { mood: 'manual' }],
    ['now', { mode: 'real', now: 0 }],
  ])('refuses a %s that means nothing: %j', (option, options) => {
    expect(() => JobsTestingModule.forRoot(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option }),
    );
  });

  it('refuses to be imported twice, and to share its clock with an override', async () => {
    const twice = Test.createTestingModule({
      imports: [JobsTestingModule.forRoot(), JobsTestingModule.forRoot()],
    });
    await expect(twice.compile()).rejects.toBeInstanceOf(TestJobsError);
    const overridden = Test.createTestingModule({ imports: [JobsTestingModule.forRoot()] })
      .overrideProvider(Clock)
      .useValue({});
    await expect(overridden.compile()).rejects.toThrow(/Clock is overridden/);
  });

  it('refuses to list what is no job, or none of the application', async () => {
    @Job()
    class Unprovided {
      run() {}
    }
    class Plain {
      run() {}
    }
    const { jobs } = await start();
    expect(() => jobs.enqueued(Unprovided)).toThrow(JobNotProvidedError);
    expect(() => jobs.enqueued(Plain)).toThrow(NotAJobError);
  });
});
