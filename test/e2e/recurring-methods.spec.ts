import { describe, expect, it } from '@jest/globals';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  ParseIntPipe,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CallHandler,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import { Cron, JobHooks, Task } from 'nestjs-jobs';
import { z } from 'zod';
import { declaredIn, registryOf, runOf, yearly } from './fixtures/recurring.js';
import { start, type Started } from './fixtures/start.js';

@Injectable()
class Journal {
  readonly entries: unknown[] = [];
}

const stateOf = async (app: Started, id = 'x') => (await app.catalog.task(id))?.state;

describe('a method that is a job', () => {
  it('is called on its provider with params and task', async () => {
    const seen: unknown[] = [];
    const order = z.object({ n: z.string().transform(Number) });
    @Injectable()
    class Reports {
      private readonly secret = 'own';
      constructor(private readonly journal: Journal) {}
      @Cron(yearly, { params: order, with: { n: '1' } })
      nightly(params: { n: number }, task: Task): string {
        this.journal.entries.push(this.secret, params, task.id, task.job);
        seen.push(task);
        return 'done';
      }
    }
    const app = await start({ providers: [Journal, Reports] });
    await runOf(app, 'Reports.nightly', { n: '5' });
    expect(app.app.get(Journal).entries).toEqual(['own', { n: 5 }, 'x', 'Reports.nightly']);
    expect(seen).toEqual([expect.any(Task)]);
    expect(await app.catalog.task('x')).toMatchObject({ state: 'succeeded', result: 'done' });
  });

  it('fails, and is tried again, by what its decorator says alone', async () => {
    let runs = 0;
    const asked: string[] = [];
    @Injectable()
    class Reports {
      @Cron(yearly, { retries: 1, backoff: '1m' })
      nightly(): void {
        runs++;
        throw new Error('no');
      }
      beforeEnqueue(): boolean {
        asked.push('beforeEnqueue');
        return false;
      }
      beforeRun(): void {
        asked.push('beforeRun');
      }
      afterRun(): void {
        asked.push('afterRun');
      }
      retryDelay(): number {
        asked.push('retryDelay');
        return 1;
      }
      shouldRetry(): boolean {
        asked.push('shouldRetry');
        return false;
      }
    }
    const app = await start({ providers: [Reports] });
    expect(registryOf(app).named('Reports.nightly')).toMatchObject({ hasEnqueueHooks: false });
    await runOf(app, 'Reports.nightly');
    await app.advance(59_000);
    expect([runs, await stateOf(app)]).toEqual([1, 'scheduled']);
    await app.advance(1_000);
    expect([runs, await stateOf(app)]).toEqual([2, 'dead']);
    expect(asked).toEqual([]);
  });

  it('has the hooks that are for all jobs', async () => {
    const calls: unknown[] = [];
    @JobHooks()
    class Audit {
      beforeEnqueue(): void {}
      beforeRun(task: Task): void {
        calls.push(['before', task.job]);
      }
      afterRun(success: boolean, task: Task): void {
        calls.push(['after', task.job, success]);
      }
    }
    @Injectable()
    class Reports {
      @Cron(yearly)
      nightly(): void {
        calls.push('run');
      }
    }
    const app = await start({ providers: [Audit, Reports] });
    expect(registryOf(app).named('Reports.nightly')).toMatchObject({ hasEnqueueHooks: true });
    await runOf(app, 'Reports.nightly');
    expect(calls).toEqual([['before', 'Reports.nightly'], 'run', ['after', 'Reports.nightly', true]]);
  });

  it('of a provider of request scope has one made for each task, which is its REQUEST', async () => {
    const seen: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Reports {
      constructor(@Inject(REQUEST) private readonly task: Task) {}
      @Cron(yearly)
      nightly(_: unknown, task: Task): void {
        seen.push(this, this.task === task);
      }
    }
    const app = await start({ providers: [Reports] });
    for (const id of ['a', 'b']) await runOf(app, 'Reports.nightly', null, id);
    expect(seen).toEqual([expect.any(Reports), true, expect.any(Reports), true]);
    expect(seen[0]).not.toBe(seen[2]);
  });

  it('of a transient provider has one made for each task', async () => {
    const seen: unknown[] = [];
    @Injectable({ scope: Scope.TRANSIENT })
    class Reports {
      constructor(private readonly journal: Journal) {}
      @Cron(yearly)
      nightly(): void {
        seen.push(this);
        this.journal.entries.push('ran');
      }
    }
    const app = await start({ providers: [Journal, Reports] });
    for (const id of ['a', 'b']) await runOf(app, 'Reports.nightly', null, id);
    expect(app.app.get(Journal).entries).toEqual(['ran', 'ran']);
    expect(new Set(seen).size).toBe(2);
  });

  it('of two modules that provide its class has the dependencies of the first', async () => {
    const ran: string[] = [];
    @Injectable()
    class Reports {
      constructor(@Inject('PLACE') private readonly place: string) {}
      @Cron(yearly)
      nightly(): void {
        ran.push(this.place);
      }
    }
    @Module({ providers: [Reports, { provide: 'PLACE', useValue: 'one' }] })
    class One {}
    @Module({ providers: [Reports, { provide: 'PLACE', useValue: 'two' }] })
    class Two {}
    const app = await start({ imports: [One, Two] });
    await runOf(app, 'Reports.nightly');
    expect(ran).toEqual(['one']);
  });

  it('of a base class runs on each subclass under its own name', async () => {
    const ran: unknown[] = [];
    abstract class Base {
      @Cron(yearly)
      nightly(): void {
        ran.push(this.constructor.name);
      }
    }
    @Injectable()
    class Left extends Base {}
    @Injectable()
    class Right extends Base {}
    const app = await start({ providers: [Left, Right] });
    await runOf(app, 'Right.nightly', null, 'r');
    await runOf(app, 'Left.nightly', null, 'l');
    expect(ran).toEqual(['Right', 'Left']);
  });
});

describe('a method that is a job, where a test has put something else in the place of its provider', () => {
  @Injectable()
  class Reports {
    @Cron(yearly)
    nightly(): string {
      return 'real';
    }
    @Cron(yearly)
    weekly(): string {
      return 'real';
    }
  }

  it('is what that has under its name, and is no job where it has nothing', async () => {
    const fake = { nightly: () => 'fake' };
    const override = (by: typeof fake | (new () => typeof fake) | null) =>
      start({
        providers: [Reports],
        override: (builder) => {
          const overriding = builder.overrideProvider(Reports);
          return typeof by === 'function' ? overriding.useClass(by) : overriding.useValue(by);
        },
      });
    class Fake {
      nightly(): string {
        return 'fake';
      }
    }
    expect(declaredIn(await override(null))).toEqual({});
    for (const app of [await override(fake), await override(Fake)]) {
      expect(Object.keys(declaredIn(app))).toEqual(['Reports.nightly']);
      await runOf(app, 'Reports.nightly');
      expect(await app.catalog.task('x')).toMatchObject({ state: 'succeeded', result: 'fake' });
    }
  });
});

describe('what Nest puts around a method that is a job', () => {
  @Injectable()
  class Around {
    constructor(private readonly journal: Journal) {}
    intercept(context: ExecutionContext, next: CallHandler) {
      const { name } = context.getHandler();
      this.journal.entries.push(`around ${context.getType<string>()} ${context.getClass().name}.${name}`);
      return next.handle();
    }
  }
  @Injectable()
  class Refusing {
    constructor(private readonly journal: Journal) {}
    canActivate(context: ExecutionContext): boolean {
      this.journal.entries.push(`guard ${context.getType<string>()}`);
      return false;
    }
  }
  @Injectable()
  class Noting {
    constructor(private readonly journal: Journal) {}
    catch(error: Error): void {
      this.journal.entries.push(`filter ${error.message}`);
    }
  }

  @UseInterceptors(Around)
  class Host {
    constructor(readonly journal: Journal) {}
    @Cron(yearly, { with: '5' })
    @UsePipes(ParseIntPipe)
    piped(params: number | string, task: Task): void {
      this.journal.entries.push(params, task instanceof Task);
    }
    @UseGuards(Refusing)
    @Cron(yearly)
    guarded(): void {
      this.journal.entries.push('never');
    }
    @Cron(yearly)
    @UseFilters(Noting)
    failing(): void {
      throw new Error('no');
    }
    @Get()
    route(): void {}
  }
  @Injectable()
  class Service extends Host {}
  @Controller('reports')
  class Routes extends Host {}

  it.each<[string, () => Partial<Record<'providers' | 'controllers', (new (...args: never[]) => Host)[]>>]>([
    ['Service', () => ({ providers: [Service] })],
    ['Routes', () => ({ controllers: [Routes] })],
  ])('of %s is bound on it or on its class and made with its dependencies', async (name, hosts) => {
    @Module({ providers: [Journal], exports: [Journal] })
    class Journals {}
    const { providers = [], controllers = [] } = hosts();
    @Module({ imports: [Journals], providers, controllers })
    class Own {}
    const app = await start({ imports: [Journals, Own] });
    const { entries } = app.app.get(Journal, { strict: false });
    await runOf(app, `${name}.piped`, '5', 'piped');
    expect(entries.splice(0)).toEqual([`around job ${name}.piped`, 5, true]);
    await runOf(app, `${name}.guarded`, null, 'guarded');
    expect(entries.splice(0)).toEqual(['guard job']);
    expect(await stateOf(app, 'guarded')).toBe('dead');
    await runOf(app, `${name}.failing`, null, 'failing');
    expect(entries.splice(0)).toEqual([`around job ${name}.failing`, 'filter no']);
    expect(await stateOf(app, 'failing')).toBe('dead');
  });

  it.each([
    ['Service', Scope.REQUEST],
    ['Service', Scope.TRANSIENT],
    ['Routes', Scope.REQUEST],
    ['Routes', Scope.TRANSIENT],
  ])('of %s may be of scope %i', async (kind, scope) => {
    @Injectable({ scope })
    class Scoped {
      constructor(private readonly journal: Journal) {}
      canActivate(context: ExecutionContext): boolean {
        this.journal.entries.push(context.getArgs()[1] instanceof Task);
        return true;
      }
    }
    class Reports {
      @UseGuards(Scoped)
      @Cron(yearly)
      nightly(): void {}
    }
    const hosts =
      kind === 'Service'
        ? { providers: [Journal, Reports] }
        : { providers: [Journal], controllers: [Reports] };
    const app = await start(hosts);
    await runOf(app, 'Reports.nightly');
    expect(await stateOf(app)).toBe('succeeded');
    expect(app.app.get(Journal).entries).toEqual([true]);
  });

  it('is also what is global, where globalEnhancers is on', async () => {
    for (const globalEnhancers of [true, false]) {
      const app = await start({
        providers: [Journal, { provide: APP_GUARD, useClass: Refusing }],
        controllers: [Routes],
        options: { globalEnhancers },
      });
      await runOf(app, 'Routes.piped', '5');
      expect(await stateOf(app)).toBe(globalEnhancers ? 'dead' : 'succeeded');
    }
  });

  it('leaves the scope of a provider alone where a global guard of request scope is for requests only', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      canActivate(): boolean {
        return false;
      }
    }
    const app = await start({ providers: [Journal, Service, { provide: APP_GUARD, useClass: PerRequest }] });
    expect(app.app.get(Service)).toBeInstanceOf(Service);
    await runOf(app, 'Service.piped', '5');
    expect(await stateOf(app)).toBe('succeeded');
  });
});
