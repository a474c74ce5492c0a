import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, Scope } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { Cron, CronExpression, Job, Periodic, type RecurringOptions, type Task } from 'nestjs-jobs';
import { z } from 'zod';
import { declaredIn, registryOf, yearly } from './fixtures/recurring.js';
import { start } from './fixtures/start.js';

describe('@Periodic and @Cron', () => {
  it('on a class declare a schedule by the name of the job, and leave it a job that is enqueued by its class', async () => {
    const ran: unknown[] = [];
    const from = new Date('2100-01-01');
    @Periodic('10m', { from, queue: 'upkeep' })
    class Prune {
      run(_: unknown, { job, queue }: Task): void {
        ran.push([job, queue]);
      }
    }
    @Cron(CronExpression.EVERY_YEAR, {
      name: 'bills',
      timeZone: 'Africa/Accra',
      missed: 'skip',
      overlap: 'queue',
    })
    class SendInvoices {
      run(_: unknown, { job }: Task): void {
        ran.push(job);
      }
    }
    const app = await start({ providers: [Prune, SendInvoices] });
    expect(declaredIn(app)).toEqual({
      Prune: { options: { id: 'Prune', every: '10m', from, overlap: 'skip' }, with: undefined },
      bills: {
        options: {
          id: 'bills',
          cron: '0 0 1 1 *',
          timeZone: 'Africa/Accra',
          missed: 'skip',
          overlap: 'queue',
        },
        with: undefined,
      },
    });
    await app.jobs.enqueue(Prune);
    await app.jobs.enqueue(SendInvoices);
    await app.advance(0);
    expect(ran).toEqual([['Prune', 'upkeep'], 'bills']);
  });

  it('on a method of a provider or a controller make the method a job of the name Class.method', async () => {
    @Injectable()
    class Reports {
      @Cron(yearly)
      nightly(): void {}
      @Periodic(90_000, { name: 'pulse', from: new Date('2100-01-01') })
      beat(): void {}
      other(): void {}
    }
    class Health {
      @Cron(yearly, { queue: 'slow' })
      private check(): void {}
      get checked() {
        return this.check;
      }
    }
    const app = await start({ providers: [Reports], controllers: [Health] });
    const registry = registryOf(app);
    expect(registry.provided().map(({ definition }) => definition.name)).toEqual([
      'Reports.nightly',
      'pulse',
      'Health.check',
    ]);
    expect(registry.named('Health.check')?.definition).toMatchObject({
      queue: 'slow',
      where: 'Health.check',
    });
    expect(registry.named('pulse')?.definition.where).toBe('Reports.beat');
    expect(Object.keys(declaredIn(app))).toEqual(['Reports.nightly', 'pulse', 'Health.check']);
    const error: unknown = await app.jobs.enqueue(Reports as never).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'NOT_A_JOB' });
  });

  it('take a failed run as done by default, whatever the module says of other jobs', async () => {
    @Cron(yearly)
    class Once {
      run(): void {
        throw new Error('no');
      }
    }
    @Cron(yearly, { retries: 2, backoff: '1s' })
    class Thrice {
      run(): void {}
    }
    @Cron(yearly, {
      retries: undefined,
      overlap: undefined,
      missed: undefined,
      name: undefined,
      disabled: undefined,
    })
    class LeftOut {
      run(): void {}
    }
    const app = await start({
      providers: [Once, Thrice, LeftOut],
      options: { defaults: { retries: 7, queue: 'all' } },
    });
    const retriesOf = (name: string) => registryOf(app).named(name)?.definition.plan;
    expect(retriesOf('Once')).toMatchObject({ retries: 0, queue: 'all' });
    expect(retriesOf('Thrice')).toMatchObject({ retries: 2 });
    expect(retriesOf('LeftOut')).toMatchObject({ retries: 0 });
    expect(declaredIn(app).LeftOut?.options).toEqual({ id: 'LeftOut', cron: yearly, overlap: 'skip' });
    const { id } = await app.jobs.enqueue(Once);
    await app.advance(0);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', attempt: 1 });
  });

  it('keep a disabled job without its schedule, and ask no factory for it', async () => {
    let runs = 0;
    const useFactory = () => {
      throw new Error('asked');
    };
    @Cron({ useFactory }, { disabled: true })
    class Off {
      run(): void {
        runs++;
      }
    }
    @Periodic(undefined as never, { disabled: true })
    class OffToo {
      run(): void {}
    }
    const app = await start({ providers: [Off, OffToo] });
    expect(declaredIn(app)).toEqual({});
    await app.jobs.enqueue(Off);
    await app.advance(0);
    expect(runs).toBe(1);
  });

  it('hand on what `with` says for the params that a class or a schema declares', async () => {
    class Limit {
      @IsInt() limit!: number;
    }
    const order = z.object({ n: z.string().transform(Number) });
    const ran: unknown[] = [];
    @Cron(yearly, { params: Limit, with: { limit: 5 } })
    class ByClass {
      run(params: Limit): void {
        ran.push(params);
      }
    }
    @Injectable()
    class Host {
      @Cron(yearly, { params: order, with: { n: '5' } })
      bySchema(_: z.output<typeof order>): void {}
      @Cron(yearly, { with: ['a'] })
      byValue(_: string[]): void {}
    }
    const app = await start({ providers: [ByClass, Host] });
    const declared = declaredIn(app);
    expect(declared.ByClass?.with).toEqual({ limit: 5 });
    expect(declared['Host.bySchema']?.with).toEqual({ n: '5' });
    expect(declared['Host.byValue']?.with).toEqual(['a']);
    const encode = (name: string, value: unknown) =>
      registryOf(app).named(name)!.definition.codec.encode(value);
    expect(await encode('Host.bySchema', { n: '5' })).toEqual({ value: { n: 5 }, text: '{"n":"5"}' });
    await expect(async () => encode('ByClass', undefined)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await app.jobs.enqueue(ByClass, { limit: 7 });
    await app.advance(0);
    expect(ran).toEqual([{ limit: 7 }]);
    expect(ran[0]).toBeInstanceOf(Limit);
  });

  it('make the class in the scope that they are given', async () => {
    const made: object[] = [];
    @Cron(yearly, { scope: Scope.REQUEST })
    class PerTask {
      run(): void {
        made.push(this);
      }
    }
    const app = await start({ providers: [PerTask] });
    await app.jobs.enqueue(PerTask);
    await app.jobs.enqueue(PerTask);
    await app.advance(0);
    expect(new Set(made).size).toBe(2);
  });
});

describe('a class with methods that are jobs', () => {
  function base() {
    class Base {
      @Cron(yearly)
      one(): void {}
      @Cron(yearly)
      two(): void {}
      @Cron(yearly)
      three(): void {}
    }
    return Base;
  }

  it('gives them to each provided subclass, which may declare them anew or override them away', async () => {
    const Base = base();
    @Injectable()
    class Left extends Base {
      override one(): void {}
      @Cron(yearly, { name: 'left two' })
      override two(): void {}
    }
    @Injectable()
    class Right extends Base {
      @Cron(yearly)
      four(): void {}
    }
    const app = await start({ providers: [Left, Right] });
    expect(Object.keys(declaredIn(app)).sort()).toEqual([
      'Left.three',
      'Right.four',
      'Right.one',
      'Right.three',
      'Right.two',
      'left two',
    ]);
  });

  it('counts once where two modules provide it, or an alias names it', async () => {
    const Base = base();
    const alias = { provide: 'alias', useExisting: Base };
    @Module({ providers: [Base] })
    class One {}
    @Module({ providers: [Base, alias] })
    class Two {}
    const app = await start({ imports: [One, Two] });
    expect(Object.keys(declaredIn(app))).toEqual(['Base.one', 'Base.two', 'Base.three']);
  });

  it('is found behind any token and however it was made', async () => {
    const [A, B, C, D] = [base(), base(), base(), base()].map((Base, index) => {
      const name = 'ABCD'[index]!;
      return { [name]: class extends Base {} }[name]!;
    });
    const app = await start({
      providers: [
        { provide: 'a', useClass: A! },
        { provide: 'b', useFactory: async () => new B!() },
        { provide: 'c', useValue: new C!() },
        { provide: D!, useFactory: () => new D!() },
      ],
    });
    const hosts = new Set(Object.keys(declaredIn(app)).map((name) => name.split('.')[0]));
    expect([...hosts]).toEqual(['A', 'B', 'C', 'D']);
  });

  it('may be a job itself', async () => {
    @Job()
    class Both {
      @Cron(yearly)
      run(): void {}
    }
    const app = await start({ providers: [Both] });
    expect(
      registryOf(app)
        .provided()
        .map(({ definition }) => definition.name),
    ).toEqual(['Both', 'Both.run']);
    expect(Object.keys(declaredIn(app))).toEqual(['Both.run']);
  });
});

describe('the options of the schedule', () => {
  it('are all handed on as a call would say them', async () => {
    const options: RecurringOptions = {
      timeZone: 'Europe/Berlin',
      from: new Date('2100-01-01'),
      until: new Date('2101-01-01'),
      missed: { all: 3 },
      overlap: 'replace',
      priority: -5,
      timeout: '1m',
      expires: '1h',
      keep: '1d',
      jitter: 0.5,
    };
    @Injectable()
    class Host {
      @Cron(yearly, options as object)
      all(): void {}
    }
    const app = await start({ providers: [Host] });
    const { timeZone, from, until, missed, overlap } = options;
    expect(declaredIn(app)['Host.all']?.options).toEqual({
      id: 'Host.all',
      cron: yearly,
      timeZone,
      from,
      until,
      missed,
      overlap,
    });
    expect(registryOf(app).named('Host.all')?.definition).toMatchObject({
      timeoutMs: 60_000,
      jitter: 0.5,
      plan: { priority: -5, expires: { inMs: 3_600_000 }, keep: { ms: 86_400_000 } },
    });
  });
});
