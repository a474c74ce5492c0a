import { describe, expect, it } from '@jest/globals';
import {
  Injectable,
  Scope,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { IsInt } from 'class-validator';
import {
  AttemptsExhaustedError,
  InvalidParamsError,
  Job,
  JobCatalog,
  JobHooks,
  JobNotProvidedError,
  TaskFailedError,
  TaskTimeoutError,
  type JobHandler,
  type Task,
} from 'nestjs-jobs';
import { JobsTestingModule, TestJobs } from 'nestjs-jobs/testing';
import { map } from 'rxjs';
import { silentLogger } from './fixtures/testing-app.js';

const seen: string[] = [];

@Injectable()
class Allowing implements CanActivate {
  canActivate(context: ExecutionContext) {
    seen.push(`guard of a ${context.getType<string>()}`);
    return true;
  }
}

@Injectable()
class Doubling implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler<number>) {
    return next.handle().pipe(map((result) => result * 2));
  }
}

class Params {
  @IsInt() n!: number;
}

class OddError extends Error {}

@Job({ params: Params, retries: ['1m', '1h'], timeout: '30s', queue: 'sums', scope: Scope.REQUEST })
@UseGuards(Allowing)
@UseInterceptors(Doubling)
class Sum implements JobHandler<Params, number> {
  async run({ n }: Params, task: Task<Params>) {
    seen.push(`run ${n} of ${task.queue}, attempt ${task.attempt} after ${task.failures} failures`);
    if (n === 1) throw new OddError('one is odd');
    if (n === 2) task.snooze('5m');
    if (n === 3) task.fail('three is too many', { retry: false });
    if (n === 4) await new Promise(() => undefined);
    if (n === 5) await new Promise((_, reject) => task.signal.addEventListener('abort', reject));
    return n;
  }

  beforeRun({ params }: Task<Params>) {
    seen.push(`before ${params.n}`);
  }

  afterRun(success: boolean, { params }: Task<Params>) {
    seen.push(`after ${params.n}: ${success}`);
  }
}

@JobHooks()
class General {
  afterRun(_: boolean, { job }: Task) {
    seen.push(`general, after ${job}`);
  }
}

async function compile() {
  seen.splice(0);
  const imports = [JobsTestingModule.forRoot({ patience: 50 })];
  const app = await Test.createTestingModule({ imports, providers: [Sum, General] })
    .setLogger(silentLogger)
    .compile();
  return { app, jobs: app.get(TestJobs) };
}

describe('runJob', () => {
  it('gives the result, through guards, interceptors and hooks, of an application that was only compiled', async () => {
    const { jobs } = await compile();
    expect(await jobs.runJob(Sum, { n: 10 })).toEqual({ type: 'succeeded', result: 20 });
    expect(seen).toEqual([
      'before 10',
      'guard of a job',
      'run 10 of sums, attempt 1 after 0 failures',
      'after 10: true',
      'general, after Sum',
    ]);
  });

  it('stores nothing, and calls no hook twice once the application has begun', async () => {
    const { app, jobs } = await compile();
    await jobs.runJob(Sum, { n: 10 });
    await app.init();
    seen.splice(0);
    await jobs.runJob(Sum, { n: 10 });
    expect(seen.filter((line) => line.startsWith('general'))).toHaveLength(1);
    expect(await app.get(JobCatalog).counts('sums')).toMatchObject({ waiting: 0, pending: 0, succeeded: 0 });
    expect(jobs.enqueued()).toEqual([]);
    await app.close();
  });

  it('gives the very error, and when the task would run again', async () => {
    const { jobs } = await compile();
    const outcome = await jobs.runJob(Sum, { n: 1 });
    expect(outcome).toEqual({
      type: 'failed',
      error: expect.any(OddError),
      willRetry: true,
      delayMs: 60_000,
    });
    expect(await jobs.runJob(Sum, { n: 1 }, { attempt: 2 })).toMatchObject({
      type: 'failed',
      delayMs: 3_600_000,
    });
    expect(await jobs.runJob(Sum, { n: 1 }, { attempt: 2, failures: 0 })).toMatchObject({ delayMs: 60_000 });
    expect(await jobs.runJob(Sum, { n: 1 }, { attempt: 3 })).toEqual({
      type: 'dead',
      error: expect.any(OddError),
      willRetry: false,
    });
    expect(seen).toContain('run 1 of sums, attempt 3 after 2 failures');
  });

  it('takes what a call would say', async () => {
    const { jobs } = await compile();
    expect(await jobs.runJob(Sum, { n: 1 }, { retries: 0 })).toMatchObject({ type: 'dead' });
    expect(await jobs.runJob(Sum, { n: 1 }, { retries: 9, backoff: '5s', queue: 'other' })).toMatchObject({
      delayMs: 5_000,
    });
    expect(seen).toContain('run 1 of other, attempt 1 after 0 failures');
  });

  it('tells a snooze, a failure without retry, a timeout and a task that had too many attempts', async () => {
    const { jobs } = await compile();
    expect(await jobs.runJob(Sum, { n: 2 })).toEqual({ type: 'snoozed', delayMs: 300_000 });
    expect(await jobs.runJob(Sum, { n: 3 })).toMatchObject({
      type: 'dead',
      error: expect.any(TaskFailedError),
    });
    expect(await jobs.runJob(Sum, { n: 4 })).toMatchObject({
      type: 'failed',
      error: expect.any(TaskTimeoutError),
    });
    seen.splice(0);
    expect(await jobs.runJob(Sum, { n: 10 }, { attempt: 4 })).toMatchObject({
      type: 'dead',
      error: expect.any(AttemptsExhaustedError),
    });
    expect(seen).toEqual([]);
  });

  it('cancels at a signal', async () => {
    const { jobs } = await compile();
    const controller = new AbortController();
    const running = jobs.runJob(Sum, { n: 5 }, { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    expect(await running).toMatchObject({ type: 'cancelled', reason: 'cancelled' });
  });

  it('rejects wrong params and options, and jobs that are not there, before anything runs', async () => {
    const { jobs } = await compile();
    await expect(jobs.runJob(Sum, { n: 'ten' as never })).rejects.toBeInstanceOf(InvalidParamsError);
    await expect(jobs.runJob(Sum, { n: 1 }, { attempt: 0 })).rejects.toMatchObject({ option: 'attempt' });
    await expect(jobs.runJob(Sum, { n: 1 }, { in: '5m' } as never)).rejects.toMatchObject({ option: 'in' });
    @Job()
    class Unprovided {
      run() {}
    }
    await expect(jobs.runJob(Unprovided)).rejects.toBeInstanceOf(JobNotProvidedError);
    expect(seen).toEqual([]);
  });

  it('gives the handler the id, the schedule and the slot that it is told, and the virtual time', async () => {
    const slot = new Date('2030-01-01');
    const tasks: Task[] = [];
    const take = (task: Task) => tasks.push(task);
    @Job()
    class Look {
      run(_: void, task: Task) {
        take(task);
      }
    }
    const app = await Test.createTestingModule({
      imports: [JobsTestingModule.forRoot({ now: slot })],
      providers: [Look],
    }).compile();
    await app.get(TestJobs).runJob(Look, undefined, { id: 'look', scheduleId: 'daily', slot });
    expect(tasks[0]).toMatchObject({ id: 'look', scheduleId: 'daily', slot, dueAt: slot, enqueuedAt: slot });
  });
});
