import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Redis } from 'ioredis';
import { Job, JobsModule, type Task } from 'nestjs-jobs';

/** A Nest application with one job and the default options but for the logging; its runner is started by the caller. */
export async function startApp(
  redis: Redis | undefined,
  run: (task: Task<number>) => void = () => undefined,
) {
  @Job()
  class Recurring {
    run(_n: number, task: Task<number>): void {
      run(task);
    }
  }
  const backend = redis ? `redis://127.0.0.1:${redis.options.port}` : 'memory:';
  @Module({
    imports: [JobsModule.forRoot({ backend, log: false, runner: { autoStart: false } })],
    providers: [Recurring],
  })
  class BenchModule {}
  await redis?.flushall('SYNC');
  return { app: await NestFactory.createApplicationContext(BenchModule, { logger: false }), Recurring };
}

export type BenchApp = Awaited<ReturnType<typeof startApp>>;
