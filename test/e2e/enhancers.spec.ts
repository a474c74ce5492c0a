import { describe, expect, it } from '@jest/globals';
import {
  Inject,
  Injectable,
  Scope,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Job, Task } from 'nestjs-jobs';
import { catchError, map, retry, throwError, timeout, type Observable } from 'rxjs';
import { eventually } from '../support/app.js';
import { start } from './fixtures/start.js';

@Injectable()
class Journal {
  readonly entries: unknown[] = [];
}

describe('an interceptor', () => {
  @Injectable()
  class Around implements NestInterceptor {
    constructor(private readonly journal: Journal) {}
    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      this.journal.entries.push({
        type: context.getType<string>(),
        args: context.getArgs(),
        class: context.getClass(),
        handler: context.getHandler(),
      });
      return next.handle().pipe(map((result) => `[${String(result)}]`));
    }
  }

  it('on the class or on run is a provider around the run, and sees a context of type job', async () => {
    const tasks: Task<string>[] = [];
    @UseInterceptors(Around)
    @Job({ keep: '1h' })
    class OnClass {
      run(_: string, task: Task<string>): string {
        tasks.push(task);
        return 'done';
      }
    }
    @Job({ keep: '1h' })
    class OnRun {
      @UseInterceptors(Around)
      run(_: string, task: Task<string>): string {
        tasks.push(task);
        return 'done';
      }
    }
    const app = await start({ providers: [Journal, Around, OnClass, OnRun] });
    for (const job of [OnClass, OnRun]) {
      await app.jobs.enqueue(job, 'p', { id: job.name });
      await app.advance(0);
      expect(await app.catalog.task(job.name)).toMatchObject({ state: 'succeeded', result: '[done]' });
    }
    const { entries } = app.app.get(Journal);
    expect(entries).toEqual([
      { type: 'job', args: ['p', tasks[0]], class: OnClass, handler: OnClass.prototype.run },
      { type: 'job', args: ['p', tasks[1]], class: OnRun, handler: OnRun.prototype.run },
    ]);
    expect(tasks[0]).toBeInstanceOf(Task);
  });

  it('keeps `this` and both arguments of the handler', async () => {
    const seen: unknown[] = [];
    @UseInterceptors(Around)
    @Job()
    class Own {
      private readonly secret = 'own';
      run(params: { a: number }, task: Task<{ a: number }>): void {
        seen.push(this.secret, params, task.id);
      }
    }
    const app = await start({ providers: [Journal, Around, Own] });
    await app.jobs.enqueue(Own, { a: 1 }, { id: 'x' });
    await app.advance(0);
    expect(seen).toEqual(['own', { a: 1 }, 'x']);
  });

  it('may end the wait, try again, or turn a failure into a success', async () => {
    class Patience implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(timeout(20));
      }
    }
    class Again implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(retry(2));
      }
    }
    class Mild implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(catchError(() => ['fallback']));
      }
    }
    let tries = 0;
    @UseInterceptors(Patience)
    @Job({ retries: 0 })
    class Hanging {
      run(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    @UseInterceptors(Again)
    @Job({ keep: '1h', retries: 0 })
    class Flaky {
      run(): string {
        if (++tries < 3) throw new Error('no');
        return 'third time';
      }
    }
    @UseInterceptors(Mild)
    @Job({ keep: '1h', retries: 0 })
    class Failing {
      run(): void {
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Hanging, Flaky, Failing] });
    for (const job of [Hanging, Flaky, Failing]) await app.jobs.enqueue(job, undefined, { id: job.name });
    // The interceptor's own timer runs on real time.
    await eventually(async () => (await app.catalog.task('Hanging'))?.state === 'dead');
    expect(await app.catalog.task('Hanging')).toMatchObject({
      state: 'dead',
      errors: [{ name: 'TimeoutError' }],
    });
    expect(await app.catalog.task('Flaky')).toMatchObject({ state: 'succeeded', result: 'third time' });
    expect(await app.catalog.task('Failing')).toMatchObject({ state: 'succeeded', result: 'fallback' });
  });

  it('that swallows a task.fail or a task.snooze does not change what was said', async () => {
    class Mild implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(catchError(() => ['fallback']));
      }
    }
    @UseInterceptors(Mild)
    @Job()
    class Speaking {
      run(snoozes: boolean, task: Task<boolean>): void {
        if (snoozes) task.snooze('1h');
        task.fail('meant', { retry: false });
      }
    }
    const app = await start({ providers: [Speaking] });
    await app.jobs.enqueue(Speaking, true, { id: 'snooze' });
    await app.jobs.enqueue(Speaking, false, { id: 'fail' });
    await app.advance(0);
    expect((await app.catalog.task('snooze'))?.state).toBe('scheduled');
    expect((await app.catalog.task('fail'))?.state).toBe('dead');
  });

  it('that throws before the run fails the attempt', async () => {
    let runs = 0;
    class Broken implements NestInterceptor {
      intercept(): Observable<unknown> {
        return throwError(() => new Error('broken interceptor'));
      }
    }
    @UseInterceptors(Broken)
    @Job()
    class Never {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Never] });
    const { id } = await app.jobs.enqueue(Never);
    await app.advance(0);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'scheduled',
      errors: [{ message: 'broken interceptor' }],
    });
    expect(runs).toBe(0);
  });

  it.each([Scope.TRANSIENT, Scope.REQUEST])('of scope %i is made for the job and applies', async (scope) => {
    const requests: unknown[] = [];
    @Injectable({ scope })
    class Scoped implements NestInterceptor {
      constructor(private readonly journal: Journal) {}
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        requests.push(context.getArgs()[1]);
        this.journal.entries.push('applied');
        return next.handle();
      }
    }
    @UseInterceptors(Scoped)
    @Job({ keep: '1h' })
    class Usual {
      run(): void {}
    }
    const app = await start({ providers: [Journal, Scoped, Usual] });
    const { id } = await app.jobs.enqueue(Usual);
    await app.advance(0);
    expect((await app.catalog.task(id))?.state).toBe('succeeded');
    expect(app.app.get(Journal).entries).toEqual(['applied']);
    expect(requests).toEqual([expect.any(Task)]);
  });

  it('applies to a request-scoped job, both with the task as REQUEST', async () => {
    const seen: unknown[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class Scoped implements NestInterceptor {
      constructor(@Inject(REQUEST) private readonly task: Task) {}
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        seen.push(this.task.id);
        return next.handle();
      }
    }
    @UseInterceptors(Scoped)
    @Job({ scope: Scope.REQUEST })
    class PerTask {
      constructor(@Inject(REQUEST) private readonly task: Task) {}
      run(): void {
        seen.push(this.task.id);
      }
    }
    const app = await start({ providers: [Scoped, PerTask] });
    for (const id of ['a', 'b']) {
      await app.jobs.enqueue(PerTask, undefined, { id });
      await app.advance(0);
    }
    expect(seen).toEqual(['a', 'a', 'b', 'b']);
  });
});
