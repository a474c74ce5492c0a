import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Scope, UseGuards, type Provider } from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import { Cron, InvalidJobError, InvalidOptionError, Job, Periodic } from 'nestjs-jobs';
import { declaredIn, yearly } from './fixtures/recurring.js';
import { start, type StartOptions } from './fixtures/start.js';

async function bootFailure(options: StartOptions): Promise<Error> {
  const error: unknown = await start(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  return error as Error;
}

type Loose = (rule: unknown, options?: unknown) => ClassDecorator & MethodDecorator;
const [looseCron, loosePeriodic] = [Cron, Periodic] as unknown as [Loose, Loose];

function classWith(decorator: ClassDecorator): Provider {
  class Reports {
    run(): void {}
  }
  decorator(Reports);
  return Reports;
}

function methodWith(decorator: MethodDecorator): Provider {
  class Reports {
    @decorator
    nightly(): void {}
  }
  return Reports;
}

describe('an option of a recurring decorator', () => {
  it.each<[object, RegExp]>([
    [{ que: 'x' }, /^Reports: que is "x", but must be left out: known options are .*queue.*with, disabled$/],
    [{ utcOffset: 2 }, /^Reports: utcOffset is 2, .*`timeZone`/],
    [{ waitForCompletion: true }, /^Reports: waitForCompletion is true, .*`overlap`/],
    [{ threshold: 250 }, /^Reports: threshold is 250, .*`missed`/],
    [{ initialDelay: 5 }, /^Reports: initialDelay is 5, .*`from`/],
    [{ distributed: true }, /^Reports: distributed is true, .*one task/],
    [{ unrefTimeout: true }, /^Reports: unrefTimeout is true, .*app\.close/],
    [{ in: '1m' }, /^Reports: in is "1m", .*`from`/],
    [{ at: 5 }, /^Reports: at is 5, .*`from`/],
    [{ id: 'x' }, /^Reports: id is "x", .*`name`/],
    [{ replace: true }, /^Reports: replace is true/],
    [{ every: '1m' }, /^Reports: every is "1m", .*first argument/],
    [{ cron: yearly }, /^Reports: cron is .*first argument/],
    [{ disabled: 'false' }, /^Reports: disabled is "false", but must be true or false/],
    [{ queue: 'a b' }, /^Reports: queue is "a b"/],
    [{ retries: -1 }, /^Reports: retries is -1/],
    [{ params: 5 }, /^Reports: params is 5/],
    [{ name: '' }, /^Reports: name is ""/],
    [{ scope: 'REQUEST' }, /^Reports: scope is "REQUEST"/],
  ])(
    'that cannot be meant, as in %j, stops the boot with the class and what to say',
    async (options, sentence) => {
      const error = await bootFailure({ providers: [classWith(looseCron(yearly, options))] });
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error.message).toMatch(sentence);
    },
  );

  it('stops the boot on a method, too, by the names of class and method', async () => {
    for (const [options, sentence] of [
      [{ que: 'x' }, /^Reports\.nightly: que is "x"/],
      [{ scope: Scope.REQUEST }, /^Reports\.nightly: scope is .* left out on a method/],
      [{ name: 'night', priority: 5_000 }, /^Reports\.nightly: priority is 5000/],
    ] as const) {
      const error = await bootFailure({ providers: [methodWith(looseCron(yearly, options))] });
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error.message).toMatch(sentence);
    }
  });
});

describe('a rule', () => {
  it.each<[string, Loose, unknown, RegExp]>([
    ['@Cron', looseCron, undefined, /^Reports: cron is .*undefined.*, but must be cron text/i],
    ['@Cron', looseCron, 5, /^Reports: cron is 5, but must be cron text/],
    ['@Cron', looseCron, new Date(0), /^Reports: cron is .*1970.*enqueue it with \{ at \}/],
    [
      '@Cron',
      looseCron,
      { inject: [] },
      /^Reports: cron\.useFactory is .*undefined.*, but must be a function/i,
    ],
    ['@Cron', looseCron, { useFactory: () => yearly, inject: 'x' }, /^Reports: cron\.inject is "x"/],
    ['@Cron', looseCron, { useFactory: () => yearly, use: 1 }, /^Reports: cron\.use is 1/],
    ['@Cron', looseCron, { useFactory: () => 5 }, /^Reports: cron is 5, .*useFactory/],
    [
      '@Cron',
      looseCron,
      { useFactory: async () => undefined },
      /^Reports: cron is .*undefined.*, .*useFactory answered/i,
    ],
    ['@Periodic', loosePeriodic, undefined, /^Reports: every is .*undefined.*, but must be a duration/i],
    ['@Periodic', loosePeriodic, { useFactory: () => null }, /^Reports: every is null, .*useFactory/],
  ])(
    'of %s that is no text stops the boot with the class and the value (%#)',
    async (_, decorator, rule, sentence) => {
      const error = await bootFailure({ providers: [classWith(decorator(rule))] });
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error.message).toMatch(sentence);
      const onMethod = await bootFailure({ providers: [methodWith(decorator(rule))] });
      expect(onMethod.message).toMatch(/^Reports\.nightly: (cron|every)/);
    },
  );

  it.each<[string, () => unknown]>([
    ['throws', () => { throw new Error('no database'); }], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('no database'))],
  ])('whose factory %s stops the boot with the class and the error', async (_, useFactory) => {
    const error = await bootFailure({ providers: [methodWith(looseCron({ useFactory }))] });
    expect(error).toBeInstanceOf(InvalidJobError);
    expect(error.message).toBe('Reports.nightly: the useFactory of its cron threw: Error: no database');
    expect(error.cause).toMatchObject({ message: 'no database' });
  });
});

describe('the factory of a rule', () => {
  @Injectable()
  class Config {
    constructor(@Inject('SETTINGS') readonly settings: Record<string, string>) {}
  }
  const settings = (cron: string) => ({ provide: 'SETTINGS', useValue: { cron, every: '90s' } });

  @Cron({
    inject: [Config, { token: 'ABSENT', optional: true }],
    useFactory: (c, absent) => `${c.settings.cron}${absent ?? ''}`,
  })
  class Reports {
    run(): void {}
  }
  @Injectable()
  class Host {
    @Periodic(
      { inject: [Config], useFactory: async ({ settings }) => settings.every! },
      { from: new Date('2100-01-01') },
    )
    beat(): void {}
  }

  it('gets what the module of the class provides or imports, not what another module has', async () => {
    @Module({ providers: [Config, settings('0 1 1 7 *')], exports: [Config] })
    class Imported {}
    @Module({ imports: [Imported], providers: [Reports, Host] })
    class Own {}
    @Module({ providers: [Config, settings('0 2 1 7 *')], exports: [Config] })
    class Other {}
    const app = await start({ imports: [Own, Other] });
    expect(declaredIn(app)).toMatchObject({
      Reports: { options: { cron: '0 1 1 7 *' } },
      'Host.beat': { options: { every: '90s' } },
    });
  });

  it('stops the boot where something that it needs is not to be had', async () => {
    const error = await bootFailure({ providers: [Reports] });
    expect(error).toBeInstanceOf(InvalidJobError);
    expect(error.message).toMatch(
      /^Reports: .*can't resolve dependencies of the useFactory of Reports .*Config/,
    );
  });

  it('may ask for what is made per request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      readonly cron = yearly;
      constructor(@Inject(REQUEST) readonly request: unknown) {}
    }
    @Cron({ inject: [Scoped], useFactory: ({ cron }) => cron })
    class Asking {
      run(): void {}
    }
    const app = await start({ providers: [Scoped, Asking] });
    expect(declaredIn(app).Asking?.options).toMatchObject({ cron: yearly });
  });
});

describe('a declaration that cannot work', () => {
  const refusal = (declare: () => unknown) => {
    try {
      declare();
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidJobError);
      return (error as Error).message;
    }
    return undefined;
  };

  it('is refused where a class carries two decorators that make it a job', () => {
    expect(
      refusal(() => {
        @Cron(yearly)
        @Periodic('1m')
        class Twice {
          run(): void {}
        }
        return Twice;
      }),
    ).toBe(
      'Twice: carries @Periodic and @Cron, but a job has one schedule: give the other to a second class',
    );
    expect(
      refusal(() => {
        @Job({ queue: 'mail' })
        @Cron(yearly)
        class Twice {
          run(): void {}
        }
        return Twice;
      }),
    ).toBe('Twice: carries @Job and @Cron: leave out @Job, whose options @Cron takes as well');
    expect(
      refusal(() => {
        @Periodic('1m')
        @Job()
        class Twice {
          run(): void {}
        }
        return Twice;
      }),
    ).toBe('Twice: carries @Job and @Periodic: leave out @Job, whose options @Periodic takes as well');
    expect(
      refusal(() => {
        @Job()
        @Job()
        class Twice {
          run(): void {}
        }
        return Twice;
      }),
    ).toBe('Twice: carries @Job twice: leave one out');
  });

  it('is none where a subclass of a job is made a job', () => {
    @Cron(yearly)
    class Base {
      run(): void {}
    }
    expect(
      refusal(() => {
        @Cron(yearly)
        class Sub extends Base {}
        return Sub;
      }),
    ).toBeUndefined();
  });

  it('is refused where a method carries two, is static, a property, or has no text for a name', () => {
    expect(
      refusal(() => {
        class Host {
          @Cron(yearly)
          @Cron(yearly)
          tick(): void {}
        }
        return Host;
      }),
    ).toMatch(/^Host\.tick: carries @Cron and @Cron, .*second method$/);
    expect(
      refusal(() => {
        class Host {
          @Cron(yearly)
          static tick(): void {}
        }
        return Host;
      }),
    ).toMatch(/^Host\.tick: @Cron is for methods of an instance, but this is static$/);
    expect(
      refusal(() => {
        class Host {
          @(looseCron(yearly) as PropertyDecorator)
          tick = () => undefined;
        }
        return Host;
      }),
    ).toMatch(/^Host\.tick: .*a property: write it as a method$/);
    const key = Symbol('tick');
    expect(
      refusal(() => {
        class Host {
          @Periodic('1m')
          [key](): void {}
        }
        return Host;
      }),
    ).toMatch(/^Host\.Symbol\(tick\): .*named by a symbol/);
  });

  it('stops the boot where a class has no run, or no name', async () => {
    class Idle {}
    (looseCron(yearly) as ClassDecorator)(Idle);
    expect((await bootFailure({ providers: [Idle] })).message).toMatch(/^Idle: .*`run\(params, task\)`/);
    const unnamed = [class { tick(): void {} }][0]!; // prettier-ignore
    const descriptor = Object.getOwnPropertyDescriptor(unnamed.prototype, 'tick')!;
    looseCron(yearly)(unnamed.prototype, 'tick', descriptor);
    const error = await bootFailure({ providers: [{ provide: 'x', useClass: unnamed }] });
    expect(error.message).toMatch(/^@Cron: an unnamed class needs a name/);
  });

  it('stops the boot where two jobs have one name, by the places of both', async () => {
    @Injectable()
    class Reports {
      @Cron(yearly, { name: 'night' })
      nightly(): void {}
    }
    @Cron(yearly)
    class night {
      run(): void {}
    }
    const error = await bootFailure({ providers: [Reports, night] });
    expect(error).toMatchObject({ code: 'DUPLICATE_JOB', job: 'night' });
    expect(error.message).toMatch(/Reports\.nightly and night/);
  });

  it('stops the boot where a global guard of request scope could not be made for a method', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Guard {
      canActivate(): boolean {
        return true;
      }
    }
    const guard = { provide: APP_GUARD, useClass: Guard };
    const Reports = methodWith(Cron(yearly) as MethodDecorator);
    const error = await bootFailure({ providers: [guard, Reports], options: { globalEnhancers: true } });
    expect(error).toBeInstanceOf(InvalidJobError);
    expect(error.message).toMatch(/^Reports\.nightly: with globalEnhancers, .*make it a class/);
    const app = await start({ providers: [guard, Reports] });
    expect(Object.keys(declaredIn(app))).toEqual(['Reports.nightly']);
  });

  it('stops the boot where a guard would silently not apply, since Nest does not make the class', async () => {
    @Injectable()
    class Refusing {
      canActivate(): boolean {
        return false;
      }
    }
    @Injectable()
    class Reports {
      @UseGuards(Refusing)
      @Cron(yearly)
      nightly(): void {}
    }
    @UseGuards(Refusing)
    @Job()
    class Send {
      run(): void {}
    }
    for (const [provider, where] of [
      [{ provide: 'reports', useFactory: () => new Reports() }, 'Reports.nightly'],
      [{ provide: Reports, useValue: new Reports() }, 'Reports.nightly'],
      [{ provide: Send, useFactory: () => new Send() }, 'Send'],
    ] as const) {
      const error = await bootFailure({ providers: [provider] });
      expect(error).toBeInstanceOf(InvalidJobError);
      expect(error.message).toMatch(`${where}: Refusing would not apply`);
    }
    const overridden = await start({
      providers: [Reports],
      override: (builder) => builder.overrideProvider(Reports).useValue({ nightly: () => undefined }),
    });
    expect(Object.keys(declaredIn(overridden))).toEqual(['Reports.nightly']);
  });
});
