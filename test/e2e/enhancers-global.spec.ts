import { describe, expect, it } from '@jest/globals';
import {
  Inject,
  Injectable,
  Scope,
  type CallHandler,
  type ExecutionContext,
  type INestApplication,
  type Provider,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, REQUEST } from '@nestjs/core';
import type { TestingModule } from '@nestjs/testing';
import { Job, Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

function globals() {
  const calls: string[] = [];
  class Guard {
    canActivate(context: ExecutionContext): boolean {
      calls.push(`guard ${context.getType<string>()}`);
      return true;
    }
  }
  class Interceptor {
    intercept(_: unknown, next: CallHandler) {
      calls.push('interceptor');
      return next.handle();
    }
  }
  class Pipe {
    transform(value: unknown): unknown {
      calls.push(value instanceof Task ? 'pipe saw the task' : 'pipe');
      return value;
    }
  }
  class Filter {
    catch(error: Error): void {
      calls.push(`filter ${error.message}`);
    }
  }
  @Job({ retries: 0 })
  class Failing {
    run(_: string): void {
      calls.push('run');
      throw new Error('no');
    }
  }
  return { calls, Failing, Guard, Interceptor, Pipe, Filter };
}

describe.each([
  [true, ['guard job', 'interceptor', 'pipe', 'run', 'filter no']],
  [false, ['run']],
  [undefined, ['run']],
])('with globalEnhancers: %s', (globalEnhancers, expected) => {
  it(`those of the application's modules give ${expected.join(', ')}`, async () => {
    const { calls, Failing, Guard, Interceptor, Pipe, Filter } = globals();
    const enhancers: Provider[] = [
      { provide: APP_GUARD, useClass: Guard },
      { provide: APP_INTERCEPTOR, useClass: Interceptor },
      { provide: APP_PIPE, useClass: Pipe },
      { provide: APP_FILTER, useClass: Filter },
    ];
    const app = await start({ providers: [...enhancers, Failing], options: { globalEnhancers } });
    const { id } = await app.jobs.enqueue(Failing, 'p');
    await app.advance(0);
    expect(calls).toEqual(expected);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', errors: [{ message: 'no' }] });
  });

  it(`those set on the application give ${expected.join(', ')}`, async () => {
    const { calls, Failing, Guard, Interceptor, Pipe, Filter } = globals();
    const started = await start({ providers: [Failing], options: { globalEnhancers }, init: false });
    const app: INestApplication = (started.app as TestingModule).createNestApplication();
    app
      .useGlobalGuards(new Guard())
      .useGlobalInterceptors(new Interceptor())
      .useGlobalPipes(new Pipe())
      .useGlobalFilters(new Filter());
    await app.init();
    const { id } = await started.jobs.enqueue(Failing, 'p');
    await started.advance(0);
    expect(calls).toEqual(expected);
    expect((await started.catalog.task(id))?.state).toBe('dead');
    await app.close();
  });
});

describe('a global guard', () => {
  it('of request scope is not skipped where globalEnhancers is on', async () => {
    const seen: string[] = [];
    let runs = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Refusing {
      constructor(@Inject(REQUEST) private readonly task: Task) {}
      canActivate(): boolean {
        seen.push(this.task.id);
        return false;
      }
    }
    @Job({ retries: 0 })
    class Guarded {
      run(): void {
        runs++;
      }
    }
    const guard = { provide: APP_GUARD, useClass: Refusing, scope: Scope.REQUEST };
    const app = await start({ providers: [guard, Guarded], options: { globalEnhancers: true } });
    await app.jobs.enqueue(Guarded, undefined, { id: 'x' });
    await app.advance(0);
    expect(runs).toBe(0);
    expect(seen).toEqual(['x']);
  });

  it('that refuses HTTP requests leaves jobs alone by default', async () => {
    let runs = 0;
    @Injectable()
    class HttpOnly {
      canActivate(context: ExecutionContext): boolean {
        return context.switchToHttp().getRequest<{ user?: unknown }>().user !== undefined;
      }
    }
    @Job()
    class Usual {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [{ provide: APP_GUARD, useClass: HttpOnly }, Usual] });
    await app.jobs.enqueue(Usual);
    await app.advance(0);
    expect(runs).toBe(1);
  });
});
