import { describe, expect, it } from '@jest/globals';
import {
  Catch,
  Inject,
  Injectable,
  UseFilters,
  UseGuards,
  UsePipes,
  ValidationPipe,
  type ArgumentMetadata,
  type ArgumentsHost,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { IsInt } from 'class-validator';
import { Job, Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const second = 1_000;

@Injectable()
class Journal {
  readonly entries: unknown[] = [];
}

describe('a guard', () => {
  it('that refuses fails the attempt before run is reached, with DI and an execution context', async () => {
    let runs = 0;
    @Injectable()
    class Refusing implements CanActivate {
      constructor(private readonly journal: Journal) {}
      async canActivate(context: ExecutionContext): Promise<boolean> {
        this.journal.entries.push([context.getType<string>(), context.getArgByIndex(0), context.getClass()]);
        return false;
      }
    }
    @UseGuards(Refusing)
    @Job({ retries: 1 })
    class Guarded {
      run(_: string): void {
        runs++;
      }
    }
    const app = await start({ providers: [Journal, Refusing, Guarded] });
    const { id } = await app.jobs.enqueue(Guarded, 'p');
    await app.advance(0);
    expect(runs).toBe(0);
    expect(app.app.get(Journal).entries).toEqual([['job', 'p', Guarded]]);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'scheduled',
      attempt: 1,
      errors: [{ name: 'ForbiddenException' }],
    });
    await app.advance(2 * second);
    expect((await app.catalog.task(id))?.state).toBe('dead');
  });
});

describe('a pipe', () => {
  it('transforms the params and never sees the task', async () => {
    const seen: { value: unknown; metadata: ArgumentMetadata }[] = [];
    const ran: unknown[] = [];
    @Injectable()
    class Doubling implements PipeTransform {
      transform(value: number, metadata: ArgumentMetadata): number {
        seen.push({ value, metadata });
        return value * 2;
      }
    }
    @UsePipes(Doubling)
    @Job()
    class OnClass {
      run(n: number, task: Task<number>): void {
        ran.push(n, task instanceof Task);
      }
    }
    @Job()
    class OnRun {
      @UsePipes(Doubling)
      run(n: number, task: Task<number>): void {
        ran.push(n, task instanceof Task);
      }
    }
    const app = await start({ providers: [Doubling, OnClass, OnRun] });
    await app.jobs.enqueue(OnClass, 21);
    await app.advance(0);
    await app.jobs.enqueue(OnRun, 21);
    await app.advance(0);
    expect(ran).toEqual([42, true, 42, true]);
    expect(seen.map(({ value }) => value)).toEqual([21, 21]);
    expect(seen[1]!.metadata.metatype).toBe(Number);
  });

  class Params {
    @IsInt() n!: number;
  }

  it.each([
    ['run', true],
    ['the class', false],
  ])('of Nest that validates does so on %s', async (_where, isOnRun) => {
    const ran: unknown[] = [];
    const pipe = new ValidationPipe({ transform: true, whitelist: true });
    @Job({ retries: 0 })
    class OnRun {
      @UsePipes(pipe)
      run(params: Params): void {
        ran.push(params);
      }
    }
    @UsePipes(pipe)
    @Job({ retries: 0, params: Params })
    class OnClass {
      run(params: Params): void {
        ran.push(params);
      }
    }
    const job = isOnRun ? OnRun : OnClass;
    const app = await start({ providers: [job] });
    await app.jobs.enqueue(job, { n: 1, more: 2 } as Params);
    await app.advance(0);
    expect(ran).toEqual([{ n: 1 }]);
    expect(ran[0]).toBeInstanceOf(Params);
  });

  it('of Nest that refuses the params fails the attempt', async () => {
    let runs = 0;
    @Job({ retries: 0 })
    class Checked {
      @UsePipes(new ValidationPipe())
      run(_: Params): void {
        runs++;
      }
    }
    const app = await start({ providers: [Checked] });
    const { id } = await app.jobs.enqueue(Checked, { n: 'text' } as never);
    await app.advance(0);
    expect(runs).toBe(0);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      errors: [{ name: 'BadRequestException' }],
    });
  });
});

describe('an exception filter', () => {
  it('sees the error and the arguments; what it returns makes no success', async () => {
    const seen: unknown[] = [];
    @Catch(RangeError)
    class Noting implements ExceptionFilter {
      constructor(@Inject(Journal) private readonly journal: Journal) {}
      catch(error: RangeError, host: ArgumentsHost): string {
        this.journal.entries.push(error.message);
        seen.push(host.getType<string>(), host.getArgByIndex(0), host.getArgByIndex(1));
        return 'all is well';
      }
    }
    @UseFilters(Noting)
    @Job({ retries: 0 })
    class Failing {
      run(range: boolean): void {
        throw range ? new RangeError('too far') : new TypeError('other');
      }
    }
    const app = await start({ providers: [Journal, Noting, Failing] });
    await app.jobs.enqueue(Failing, true, { id: 'range' });
    await app.jobs.enqueue(Failing, false, { id: 'other' });
    await app.advance(0);
    expect(app.app.get(Journal).entries).toEqual(['too far']);
    expect(seen).toEqual(['job', true, expect.any(Task)]);
    expect(await app.catalog.task('range')).toMatchObject({
      state: 'dead',
      errors: [{ message: 'too far' }],
    });
    expect(await app.catalog.task('other')).toMatchObject({ state: 'dead', errors: [{ message: 'other' }] });
  });

  it('may throw another error in place of the first, also for a refusing guard', async () => {
    @Catch()
    class Renaming implements ExceptionFilter {
      async catch(error: Error): Promise<never> {
        throw new Error(`renamed: ${error.name}`);
      }
    }
    class Refusing implements CanActivate {
      canActivate(): boolean {
        return false;
      }
    }
    @Job({ retries: 0 })
    class OnRun {
      @UseFilters(new Renaming())
      @UseGuards(Refusing)
      run(): void {}
    }
    const app = await start({ providers: [OnRun] });
    const { id } = await app.jobs.enqueue(OnRun);
    await app.advance(0);
    expect((await app.catalog.task(id))?.errors).toMatchObject([{ message: 'renamed: ForbiddenException' }]);
  });

  it('is not troubled with a snooze, which is no error', async () => {
    const caught: unknown[] = [];
    @Catch()
    class Noting implements ExceptionFilter {
      catch(error: unknown): void {
        caught.push(error);
      }
    }
    @UseFilters(Noting)
    @Job()
    class Sleepy {
      run(_: void, task: Task): void {
        task.snooze('1h');
      }
    }
    const app = await start({ providers: [Sleepy] });
    const { id } = await app.jobs.enqueue(Sleepy);
    await app.advance(0);
    expect((await app.catalog.task(id))?.state).toBe('scheduled');
    expect(caught).toEqual([]);
  });
});
