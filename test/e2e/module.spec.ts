import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Global,
  Injectable,
  Module,
  Scope,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import {
  ConflictingRootsError,
  DuplicateJobError,
  InvalidJobError,
  InvalidOptionError,
  Job,
  JobCatalog,
  JobNotProvidedError,
  JobQueue,
  JobRunner,
  JobsError,
  JobsModule,
  memoryBackend,
  NotAJobError,
  QueueClosedError,
  type JobsOptions,
  type JobsOptionsFactory,
} from 'nestjs-jobs';
import { eventually, settled, startApp } from '../support/app.js';

@Injectable()
class Journal {
  readonly entries: string[] = [];
}

@Job()
class Greet {
  constructor(private readonly journal: Journal) {}

  run(name: string) {
    this.journal.entries.push(`hello ${name}`);
  }
}

@Module({ providers: [Journal, Greet], exports: [Journal] })
class GreetModule {}

/** What stopped the boot. */
async function bootFailure(metadata: ModuleMetadata, options: JobsOptions | false = {}): Promise<JobsError> {
  const error: unknown = await startApp({ ...metadata, options }).then(
    () => new Error('it booted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof JobsError) return error;
  throw error;
}

/** A class as a JavaScript user could write it, past the compiler. */
function jobOf(options: object, target: Type): Type {
  (Job as (given: object) => ClassDecorator)(options)(target);
  return target;
}

describe('JobsModule.forRoot', () => {
  it('needs no options: a task is stored in memory and runs', async () => {
    const { jobs, app } = await startApp({
      options: false,
      realTime: true,
      imports: [JobsModule.forRoot(), GreetModule],
    });
    expect(await jobs.enqueue(Greet, 'Ada')).toMatchObject({ status: 'enqueued', queue: 'default' });
    await eventually(() => app.get(Journal).entries.length === 1);
    expect(app.get(Journal).entries).toEqual(['hello Ada']);
  });

  it('is global: JobQueue, JobRunner and JobCatalog are injectable in modules that do not import it', async () => {
    @Injectable()
    class Deep {
      constructor(
        readonly jobs: JobQueue,
        readonly runner: JobRunner,
        readonly catalog: JobCatalog,
      ) {}
    }
    @Module({ providers: [Deep] })
    class DeepModule {}
    @Module({ imports: [DeepModule] })
    class MiddleModule {}

    const { app, jobs, runner, catalog } = await startApp({ imports: [MiddleModule] });
    const deep = app.get(Deep, { strict: false });
    expect([deep.jobs, deep.runner, deep.catalog]).toEqual([jobs, runner, catalog]);
    expect(deep.jobs).toBe(jobs);
  });

  it('may be imported twice with equal options: there is one runner, and a task runs once', async () => {
    @Module({ imports: [JobsModule.forRoot({ runner: { concurrency: 1 } })] })
    class OtherModule {}
    const { app, jobs, advance } = await startApp({
      options: { runner: { concurrency: 1 } },
      imports: [OtherModule, GreetModule],
    });
    await jobs.enqueue(Greet, 'Ada');
    await advance(60_000);
    expect(app.get(Journal).entries).toEqual(['hello Ada']);
  });

  it.each<[string, JobsOptions, JobsOptions]>([
    ['another value', { payloadLimit: 10 }, { payloadLimit: 20 }],
    ['an option only one of them has', {}, { runner: false }],
    ['another backend', { backend: memoryBackend() }, { backend: 'memory:' }],
  ])('imported twice stops the boot for %s', async (_, first, second) => {
    @Module({ imports: [JobsModule.forRoot(second)] })
    class OtherModule {}
    const error = await bootFailure({ imports: [OtherModule] }, first);
    expect(error).toBeInstanceOf(ConflictingRootsError);
    expect(error.code).toBe('CONFLICTING_ROOTS');
  });

  it('imported twice with two stores of the same kind stops the boot: tasks could go to either', async () => {
    @Module({ imports: [JobsModule.forRoot({ backend: memoryBackend() })] })
    class OtherModule {}
    const error = await bootFailure({ imports: [OtherModule] }, { backend: memoryBackend() });
    expect(error).toBeInstanceOf(ConflictingRootsError);
  });

  it('keeps two applications of one process apart', async () => {
    const [first, second] = [
      await startApp({ imports: [GreetModule] }),
      await startApp({ imports: [GreetModule] }),
    ];
    await first.jobs.enqueue(Greet, 'Ada', { id: 'one' });
    expect(await second.jobs.enqueue(Greet, 'Grace', { id: 'one' })).toMatchObject({ status: 'enqueued' });
    await first.advance(0);
    await second.advance(0);
    expect(first.app.get(Journal).entries).toEqual(['hello Ada']);
    expect(second.app.get(Journal).entries).toEqual(['hello Grace']);
  });

  it.each<[unknown, RegExp]>([
    [{ backends: 'memory:' }, /JobsModule\.forRoot: backends is "memory:".*known options are backend/],
    [{ backend: 'mysql://u:secret@h/db' }, /JobsModule\.forRoot: backend is "mysql:"/],
    [{ backend: null }, /JobsModule\.forRoot: backend is null/],
    [{ backend: {} }, /JobsModule\.forRoot: backend is \{\}/],
    [{ prefix: 'a b' }, /JobsModule\.forRoot: prefix is "a b"/],
    [{ payloadLimit: 0 }, /JobsModule\.forRoot: payloadLimit is 0/],
    [{ enqueueTimeout: 'soon' }, /JobsModule\.forRoot: enqueueTimeout is "soon", but must be a duration/],
    [{ enqueueTimeout: 0 }, /JobsModule\.forRoot: enqueueTimeout is 0/],
    [{ globalEnhancers: 'yes' }, /JobsModule\.forRoot: globalEnhancers is "yes"/],
    [{ runner: true }, /JobsModule\.forRoot: runner is true/],
    [{ runner: { concurency: 3 } }, /JobsModule\.forRoot: runner\.concurency is 3/],
    [{ runner: { concurrency: 0 } }, /runner\.concurrency is 0/],
    [{ runner: { lease: '10ms' } }, /runner\.lease is "10ms", but must be at least 1s/],
    [{ runner: { pollInterval: '1mo' } }, /runner\.pollInterval is "1mo"/],
    [{ runner: { queues: 'mail' } }, /runner\.queues is "mail"/],
    [{ runner: { queues: ['a b'] } }, /runner\.queues is "a b"/],
    [{ runner: { queues: ['mail', 'mail'] } }, /runner\.queues is "mail", but must be named once/],
    [{ runner: { queues: [{ name: 'mail', concurency: 1 }] } }, /runner.*concurency is 1/],
    [{ runner: { queues: [null] } }, /runner\.queues is null/],
    [{ defaults: { in: '5s' } }, /JobsModule\.forRoot: defaults\.in is "5s"/],
    [{ defaults: { retries: -1 } }, /JobsModule\.forRoot defaults: retries is -1/],
    [{ retention: { dead: 'ever' } }, /retention\.dead is "ever"/],
    [{ retention: { failed: '1d' } }, /JobsModule\.forRoot: retention\.failed is "1d"/],
    [{ log: { level: 'loud' } }, /log\.level is "loud"/],
    [{ log: { levels: 'warn' } }, /log.*levels is "warn"/],
    [{ log: 'warn' }, /JobsModule\.forRoot.*log.* is "warn"/],
  ])('stops the boot at %j with a sentence that names the option', async (options, sentence) => {
    const error = await bootFailure({}, options as JobsOptions);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringMatching(sentence) });
    expect(error.message).not.toContain('secret');
  });
});

describe('JobsModule.forRootAsync', () => {
  @Injectable()
  class Config {
    readonly limit = 10;
  }
  @Module({ providers: [Config], exports: [Config] })
  class ConfigModule {}
  @Injectable()
  class JobsConfig implements JobsOptionsFactory {
    constructor(private readonly config: Config) {}
    async createJobsOptions() {
      return { payloadLimit: this.config.limit };
    }
  }
  @Module({ imports: [ConfigModule], providers: [JobsConfig], exports: [JobsConfig] })
  class JobsConfigModule {}

  it.each([
    [
      'useFactory with inject',
      JobsModule.forRootAsync({
        imports: [ConfigModule],
        inject: [Config],
        useFactory: async (config: Config) => ({ payloadLimit: config.limit }),
      }),
    ],
    ['useClass', JobsModule.forRootAsync({ imports: [ConfigModule], useClass: JobsConfig })],
    ['useExisting', JobsModule.forRootAsync({ imports: [JobsConfigModule], useExisting: JobsConfig })],
  ])('takes its options from %s', async (_, root) => {
    const { app, jobs, advance } = await startApp({ options: false, imports: [root, GreetModule] });
    await jobs.enqueue(Greet, 'Ada');
    await expect(jobs.enqueue(Greet, 'a name too long')).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await advance(0);
    expect(app.get(Journal).entries).toEqual(['hello Ada']);
  });

  it('checks what the factory returns', async () => {
    const root = JobsModule.forRootAsync({ useFactory: () => ({ prefix: '' }) });
    expect((await bootFailure({ imports: [root] }, false)).message).toMatch(/prefix is ""/);
  });

  it('says what to give where it got none of the three', () => {
    expect(() => JobsModule.forRootAsync({})).toThrow(/useFactory, useClass or useExisting/);
  });
});

describe('A job class', () => {
  it('listed in two modules is one job, and its task runs once', async () => {
    @Module({ providers: [Greet], imports: [GreetModule] })
    class OtherModule {}
    const { app, jobs, advance } = await startApp({ imports: [GreetModule, OtherModule] });
    await jobs.enqueue(Greet, 'Ada');
    await advance(60_000);
    expect(app.get(Journal).entries).toEqual(['hello Ada']);
  });

  it('is found by its class under another token, and by its token where a factory makes it', async () => {
    @Job()
    class Made {
      constructor(private readonly notes: string[]) {}
      run(note: string) {
        this.notes.push(note);
      }
    }
    const notes: string[] = [];
    const { app, jobs, advance } = await startApp({
      providers: [
        Journal,
        { provide: 'greeter', useClass: Greet },
        { provide: 'alias', useExisting: 'greeter' },
        { provide: Made, useFactory: () => new Made(notes) },
      ],
    });
    await jobs.enqueue(Greet, 'Ada');
    await jobs.enqueue(Made, 'made');
    await advance(0);
    expect([app.get(Journal).entries, notes]).toEqual([['hello Ada'], ['made']]);
  });

  it('whose name another has stops the boot, and the message names both classes', async () => {
    @Job({ name: 'mail' })
    class SendMail {
      run() {}
    }
    @Job({ name: 'mail' })
    class PostLetter {
      run() {}
    }
    const error = await bootFailure({ providers: [SendMail, PostLetter] });
    expect(error).toBeInstanceOf(DuplicateJobError);
    expect(error).toMatchObject({ code: 'DUPLICATE_JOB', job: 'mail' });
    expect(error.message).toMatch(/'mail'.*SendMail.*PostLetter/);
  });

  it.each<[object, RegExp]>([
    [{ queues: 'mail' }, /^Send: queues is "mail".*known options are/],
    [{ id: 'one' }, /^Send: id is "one"/],
    [{ queue: 'a b' }, /^Send: queue is "a b"/],
    [{ timeout: '5 parsecs' }, /^Send: timeout is "5 parsecs"/],
    [{ timeout: '1mo' }, /^Send: timeout is "1mo"/],
    [{ in: 'tomorrow' }, /^Send: in is "tomorrow"/],
    [{ in: '1s', at: 0 }, /^Send: at is 0.*exclude/],
    [{ at: new Date(NaN) }, /^Send: at is Invalid Date/],
    [{ priority: 1.5 }, /^Send: priority is 1\.5/],
    [{ retries: ['1s', 'x'] }, /^Send: retries is "x"/],
    [{ backoff: { type: 'cubic', delay: 1 } }, /^Send: backoff\.type is "cubic"/],
    [{ backoff: { type: 'fixed', delay: 1, maximum: 1 } }, /^Send: backoff.*maximum/],
    [{ jitter: 2 }, /^Send: jitter is 2/],
    [{ expires: '1y' }, /^Send: expires is "1y"/],
    [{ keep: '-1s' }, /^Send: keep is "-1s"/],
    [{ params: 5 }, /^Send: params is 5/],
    [{ name: '' }, /^Send: name is ""/],
    [{ name: 'mail', priority: 5000 }, /Send.*priority is 5000/],
    [{ scope: 'REQUEST' }, /^Send: scope is "REQUEST"/],
  ])('declared with %j stops the boot with a sentence that names it', async (options, sentence) => {
    class Send {
      run() {}
    }
    const error = await bootFailure({ providers: [jobOf(options, Send)] });
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error.message).toMatch(sentence);
  });

  it('without run stops the boot, by the name of its class', async () => {
    class Idle {}
    const error = await bootFailure({ providers: [jobOf({ name: 'stored-name' }, Idle)] });
    expect(error).toBeInstanceOf(InvalidJobError);
    expect(error).toMatchObject({ code: 'INVALID_JOB', message: expect.stringMatching(/Idle.*run/) });
  });

  it('without a name of its own needs one in its options', async () => {
    const unnamed = () => [class { run() {} }][0]!; // prettier-ignore
    const error = await bootFailure({ providers: [jobOf({}, unnamed())] });
    expect(error).toBeInstanceOf(InvalidJobError);
    expect(error.message).toMatch(/unnamed class needs a name/);

    const named = jobOf({ name: 'named' }, unnamed());
    const { jobs, catalog } = await startApp({
      providers: [named],
      options: { runner: { autoStart: false } },
    });
    const { id } = await jobs.enqueue(named as typeof Greet, '');
    expect(await catalog.task(id)).toMatchObject({ job: 'named' });
  });

  it('that carries no @Job is refused by enqueue, by its name; so is what is no class at all', async () => {
    class Plain {
      run() {}
    }
    @Job()
    class Parent {
      run() {}
    }
    class Child extends Parent {}
    const { jobs } = await startApp({ providers: [Plain, Parent, Child] });
    for (const target of [Plain, Child]) {
      const error = await jobs.enqueue(target).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NotAJobError);
      expect(error).toMatchObject({ code: 'NOT_A_JOB', job: target.name });
    }
    for (const target of [undefined, null, 'Greet', {}])
      await expect(jobs.enqueue(target as never)).rejects.toBeInstanceOf(NotAJobError);
  });

  it.each([
    ['DEFAULT', Scope.DEFAULT],
    ['TRANSIENT', Scope.TRANSIENT],
    ['REQUEST', Scope.REQUEST],
  ])('of scope %s gets what its constructor asks for', async (_, scope) => {
    @Job({ scope })
    class Scoped {
      constructor(private readonly journal: Journal) {}

      run() {
        this.journal.entries.push('ran');
      }
    }
    const { app, jobs, advance } = await startApp({ providers: [Journal, Scoped] });
    await jobs.enqueue(Scoped);
    await advance(0);
    expect(app.get(Journal).entries).toEqual(['ran']);
  });

  it('can be replaced in a test by a value or another class', async () => {
    const seen: string[] = [];
    const fake = { run: (name: string) => void seen.push(`fake ${name}`) };
    const withValue = await startApp({
      imports: [GreetModule],
      override: (builder) => builder.overrideProvider(Greet).useValue(fake),
    });
    await withValue.jobs.enqueue(Greet, 'Ada');
    await withValue.advance(0);
    expect(seen).toEqual(['fake Ada']);

    class OtherGreet {
      run(name: string) {
        seen.push(`other ${name}`);
      }
    }
    const withClass = await startApp({
      imports: [GreetModule],
      override: (builder) => builder.overrideProvider(Greet).useClass(OtherGreet),
    });
    await withClass.jobs.enqueue(Greet, 'Ada');
    await withClass.advance(0);
    expect(seen).toEqual(['fake Ada', 'other Ada']);
    expect(withClass.app.get(Journal).entries).toEqual([]);
  });
});

describe('A job class that no module provides', () => {
  @Job({ queue: 'mail' })
  class Send {
    run() {}
  }

  it('is refused where this process runs its queue, with what to do', async () => {
    for (const options of [{}, { runner: { queues: ['default', 'mail'] } }]) {
      const { jobs, catalog } = await startApp({ options });
      const error = await jobs.enqueue(Send).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(JobNotProvidedError);
      expect(error).toMatchObject({ code: 'JOB_NOT_PROVIDED', job: 'Send' });
      expect((error as Error).message).toMatch(/Send.*add it to the providers of a module/);
      expect(await catalog.queueNames()).toEqual([]);
    }
  });

  it('can be enqueued where this process only enqueues, or leaves its queue out', async () => {
    for (const options of [{ runner: false as const }, { runner: { queues: ['default'] } }]) {
      const { jobs, catalog } = await startApp({ options });
      expect(await jobs.enqueue(Send)).toMatchObject({ status: 'enqueued', queue: 'mail' });
      expect(await catalog.counts('mail')).toMatchObject({ waiting: 1 });
    }
  });

  it('is refused all the same where it has enqueue hooks: nobody could call them', async () => {
    @Job()
    class Before {
      run() {}
      beforeEnqueue() {}
    }
    @Job()
    class After {
      run() {}
      afterEnqueue() {}
    }
    const { jobs } = await startApp({ options: { runner: false } });
    for (const target of [Before, After])
      await expect(jobs.enqueue(target)).rejects.toBeInstanceOf(JobNotProvidedError);
  });

  it('has its own options checked when it is enqueued', async () => {
    class Bad {
      run() {}
    }
    jobOf({ timeout: 'x' }, Bad);
    const { jobs } = await startApp({ options: { runner: false } });
    await expect(jobs.enqueue(Bad)).rejects.toThrow(/^Bad: timeout is "x"/);
  });
});

describe('The life of an application', () => {
  function enqueuesIn(hook: 'onModuleInit' | 'onApplicationBootstrap') {
    @Injectable()
    class Starter implements OnModuleInit, OnApplicationBootstrap {
      constructor(private readonly jobs: JobQueue) {}
      async onModuleInit() {
        if (hook === 'onModuleInit') await this.jobs.enqueue(Greet, hook);
      }
      async onApplicationBootstrap() {
        if (hook === 'onApplicationBootstrap') await this.jobs.enqueue(Greet, hook);
      }
    }
    return Starter;
  }

  it.each(['onModuleInit', 'onApplicationBootstrap'] as const)(
    'allows to enqueue in %s of any provider, however deep its module',
    async (hook) => {
      @Module({ providers: [enqueuesIn(hook)] })
      class Deep {}
      @Module({ imports: [Deep] })
      class Middle {}
      @Module({ imports: [Middle] })
      class Top {}
      const { app, advance } = await startApp({ imports: [Top, GreetModule] });
      await advance(0);
      expect(app.get(Journal).entries).toEqual([`hello ${hook}`]);
    },
  );

  it('allows to enqueue in onModuleInit of a global module that is imported before this one', async () => {
    @Global()
    @Module({ providers: [enqueuesIn('onModuleInit')] })
    class Everywhere {}
    const { app, advance } = await startApp({
      options: false,
      imports: [Everywhere, JobsModule.forRoot(), GreetModule],
    });
    await advance(0);
    expect(app.get(Journal).entries).toEqual(['hello onModuleInit']);
  });

  it('refuses to enqueue before it has begun and after it has ended, and says that this is why', async () => {
    const { app, jobs } = await startApp({ imports: [GreetModule], init: false });
    const early = await jobs.enqueue(Greet, 'Ada').catch((thrown: unknown) => thrown);
    expect(early).toBeInstanceOf(QueueClosedError);
    expect(early).toMatchObject({ code: 'QUEUE_CLOSED', message: expect.stringContaining('Greet') });

    await app.init();
    await jobs.enqueue(Greet, 'Ada');
    await settled();
    await app.close();
    await expect(jobs.enqueue(Greet, 'Grace')).rejects.toBeInstanceOf(QueueClosedError);
    await expect(jobs.bulk((bulk) => bulk.enqueue(Greet, 'Grace'))).rejects.toBeInstanceOf(QueueClosedError);
    expect(app.get(Journal).entries).toEqual(['hello Ada']);
  });

  it('knows a job that was enqueued too early as soon as it has begun', async () => {
    const { app, jobs, advance } = await startApp({
      imports: [GreetModule],
      options: { runner: { queues: ['other'] } },
      init: false,
    });
    await jobs.enqueue(Greet, 'Ada').catch(() => undefined);
    await app.init();
    await jobs.enqueue(Greet, 'Grace', { queue: 'other' });
    await advance(0);
    expect(app.get(Journal).entries).toEqual(['hello Grace']);
  });
});

describe('The memory backend in production', () => {
  const before = process.env.NODE_ENV;
  afterEach(() => void (process.env.NODE_ENV = before));

  const warnings = async (nodeEnv: string, options: JobsOptions) => {
    process.env.NODE_ENV = nodeEnv;
    const { lines } = await startApp({ options });
    return lines.filter(({ level, message }) => level === 'warn' && message.includes("'memory:'")).length;
  };

  it('is warned about where nobody named it', async () => {
    expect(await warnings('production', {})).toBe(1);
    expect(await warnings('production', { log: { level: 'warn' } })).toBe(1);
  });

  it('is not warned about where it was named, nor elsewhere', async () => {
    expect(await warnings('production', { backend: 'memory:' })).toBe(0);
    expect(await warnings('production', { backend: memoryBackend() })).toBe(0);
    expect(await warnings('development', {})).toBe(0);
  });
});
