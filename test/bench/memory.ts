/**
 * The embedded backend: what the library itself costs, with no server in between. Run by `npm run bench`.
 * BENCH_TASKS sets the tasks per round, BENCH_ROUNDS the rounds.
 */
import 'reflect-metadata';
import {
  Injectable,
  Module,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsInt, IsString } from 'class-validator';
import { Job, JobQueue, JobRunner, JobsModule, type JobClass } from 'nestjs-jobs';
import { machine, perSecond, printTable, rounds, thousands, type Row } from './measure.js';

const tasks = Number(process.env.BENCH_TASKS ?? 100_000);
const roundCount = Number(process.env.BENCH_ROUNDS ?? 5);
const callers = 100;

/** Counts runs, and tells when as many as expected have ended. */
class Finish {
  private left = 0;
  private tell: () => void = () => undefined;

  after(count: number): Promise<void> {
    this.left = count;
    return new Promise((resolve) => (this.tell = resolve));
  }

  one(): void {
    if (--this.left === 0) this.tell();
  }
}
const finish = new Finish();

@Job()
class Plain {
  run() {
    finish.one();
  }
}

class OrderParams {
  @IsString() order!: string;
  @IsInt() amount!: number;
}

@Job({ params: OrderParams })
class WithParams {
  run(_params: OrderParams) {
    finish.one();
  }
}

@Injectable()
class PassOn implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle();
  }
}

@Job()
@UseInterceptors(PassOn)
class WithInterceptor {
  run() {
    finish.one();
  }
}

/** The same params with and without a lock. Never run here. */
@Job()
class Numbered {
  run(_params: { order: number }) {}
}

@Job({ unique: { lock: 'until_completed' } })
class Unique {
  run(_params: { order: number }) {}
}

/** Never run here: they are what the others must not be slowed by. */
@Job({ priority: 1000 })
class Backlog {
  run() {}
}

@Module({
  imports: [JobsModule.forRoot({ log: false, runner: { concurrency: 100, autoStart: false } })],
  providers: [Plain, WithParams, WithInterceptor, Numbered, Unique, Backlog],
})
class BenchModule {}

async function withApp<R>(use: (jobs: JobQueue, runner: JobRunner) => Promise<R>): Promise<R> {
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: false });
  try {
    return await use(app.get(JobQueue), app.get(JobRunner));
  } finally {
    await app.close();
  }
}

async function enqueueByCallers(
  jobs: JobQueue,
  count: number,
  job: JobClass,
  params?: unknown,
): Promise<void> {
  let left = count;
  const enqueue = jobs.enqueue.bind(jobs) as (job: JobClass, params?: unknown) => Promise<unknown>;
  const caller = async () => {
    while (left-- > 0) await enqueue(job, typeof params === 'function' ? params() : params);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function enqueueAndProcess(job: JobClass, params?: unknown): Promise<Row[]> {
  return withApp(async (jobs, runner) => {
    const enqueued: number[] = [];
    const processed = await rounds(roundCount, async () => {
      enqueued.push(await perSecond(tasks, () => enqueueByCallers(jobs, tasks, job, params)));
      const done = finish.after(tasks);
      const figure = await perSecond(tasks, async () => {
        await runner.start();
        await done;
      });
      await runner.stop();
      return figure;
    });
    enqueued.shift();
    enqueued.sort((a, b) => a - b);
    const name = job.name;
    return [
      {
        work: `enqueue, ${callers} callers, ${name}`,
        'tasks/s': thousands(enqueued[Math.floor(roundCount / 2)]!),
        spread: `${thousands(enqueued[0]!)} – ${thousands(enqueued.at(-1)!)}`,
      },
      {
        work: `process, concurrency 100, ${name}`,
        'tasks/s': thousands(processed.median),
        spread: processed.spread,
      },
    ];
  });
}

async function bulk(): Promise<Row> {
  const size = 10_000;
  return withApp(async (jobs) => {
    const { median, spread } = await rounds(roundCount, () =>
      perSecond(size, async () => {
        await jobs.bulk((bulk) => {
          for (let n = 0; n < size; n++) bulk.enqueue(Plain);
        });
      }),
    );
    return { work: 'enqueue, bulk of 10,000, Plain', 'tasks/s': thousands(median), spread };
  });
}

/** What a lock costs at enqueue: each task has a key of its own. By turns, each round in a store of its own. */
async function uniqueCost(): Promise<Row> {
  const figures = new Map<JobClass, number[]>([
    [Numbered, []],
    [Unique, []],
  ]);
  let [order, turn] = [0, 0];
  const { median } = await rounds(roundCount, () =>
    withApp(async (jobs) => {
      const pace = new Map<JobClass, number>();
      for (const job of turn++ % 2 === 0 ? [Numbered, Unique] : [Unique, Numbered])
        pace.set(
          job,
          await perSecond(tasks, () => enqueueByCallers(jobs, tasks, job, () => ({ order: order++ }))),
        );
      for (const [job, all] of figures) all.push(pace.get(job)!);
      return pace.get(Numbered)! / pace.get(Unique)!;
    }),
  );
  const middle = (job: JobClass) => {
    const [, ...counted] = figures.get(job)!;
    return thousands(counted.sort((a, b) => a - b)[Math.floor(roundCount / 2)]!);
  };
  return {
    work: `enqueue, ${callers} callers, with a number as params`,
    plain: middle(Numbered),
    unique: middle(Unique),
    cost: `${median.toFixed(2)}×`,
  };
}

/** The same work with a small and a large store: what grows with n would show. */
async function flatness(what: string, fill: (jobs: JobQueue, count: number) => Promise<void>): Promise<Row> {
  const sizes = [1_000, 1_000_000];
  const count = 20_000;
  const figures: number[] = [];
  for (const size of sizes) {
    figures.push(
      await withApp(async (jobs, runner) => {
        await fill(jobs, size);
        const { median } = await rounds(roundCount, async () => {
          const done = finish.after(count);
          const figure = await perSecond(count, async () => {
            await enqueueByCallers(jobs, count, Plain);
            await runner.start();
            await done;
          });
          await runner.stop();
          return figure;
        });
        return median;
      }),
    );
  }
  const [small, large] = figures as [number, number];
  return {
    'in the store': what,
    'with 1,000': thousands(small),
    'with 1,000,000': thousands(large),
    ratio: (large / small).toFixed(2),
  };
}

async function fillInBulks(
  jobs: JobQueue,
  count: number,
  options: { at?: Date; queue?: string },
): Promise<void> {
  const size = Math.min(count, 50_000);
  for (let n = 0; n < count; n += size)
    await jobs.bulk((bulk) => {
      for (let m = 0; m < size; m++) bulk.enqueue(Backlog, undefined, options);
    });
}

/** What an idle runner does: nothing, so neither CPU time nor timers. */
async function idle(): Promise<Row> {
  return withApp(async (_jobs, runner) => {
    await runner.start();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const { user, system } = process.cpuUsage(before);
    return {
      'idle for 5 s': 'runner started, nothing enqueued',
      'CPU ms': Math.round((user + system) / 1_000),
      timers,
    };
  });
}

console.log(machine());
console.log(`${thousands(tasks)} tasks a round, median of ${roundCount} rounds after one to warm up`);
printTable('Enqueue and process', [
  ...(await enqueueAndProcess(Plain)),
  await bulk(),
  ...(await enqueueAndProcess(WithParams, { order: 'A-1', amount: 3 })),
  ...(await enqueueAndProcess(WithInterceptor)),
]);
printTable('Unique tasks, tasks/s', [await uniqueCost()]);
printTable('Enqueue and process 20,000 tasks beside others', [
  await flatness('waiting behind them', (jobs, count) => fillInBulks(jobs, count, {})),
  await flatness('scheduled for tomorrow', (jobs, count) =>
    fillInBulks(jobs, count, { at: new Date(Date.now() + 86_400_000) }),
  ),
]);
printTable('Idle', [await idle()]);
