import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Job, JobQueue, JobsModule, type JobsOptions } from 'nestjs-jobs';
import type { Payload, System } from '../system.js';

/** A real Nest application on both sides, with the default options but for the logging. */
export const nestjsJobs: System = {
  async produce(url, queue) {
    const { app, NoOp, Unique } = await startApp(
      { backend: url, log: false, runner: false },
      queue,
      () => undefined,
    );
    const jobs = app.get(JobQueue);
    return {
      add: (params) => jobs.enqueue(NoOp, params),
      addUnique: (params) => jobs.enqueue(Unique, params),
      addBulk: (all, dueAt) =>
        jobs.bulk((bulk) => {
          all.forEach((params, index) =>
            bulk.enqueue(NoOp, params, dueAt ? { at: dueAt[index]! } : undefined),
          );
        }),
      close: () => app.close(),
    };
  },

  async consume({ url, queues, concurrency }, handle) {
    const options: JobsOptions = {
      backend: url,
      log: false,
      runner: { concurrency, queues: [...queues] },
    };
    const { app } = await startApp(options, queues[0]!, handle);
    return { close: () => app.close() };
  },
};

async function startApp(options: JobsOptions, queue: string, handle: (params: Payload) => void) {
  @Job({ queue })
  class NoOp {
    async run(params: Payload) {
      handle(params);
    }
  }
  @Job({ queue, unique: { lock: 'until_completed' } })
  class Unique {
    async run(params: Payload) {
      handle(params);
    }
  }
  @Module({ imports: [JobsModule.forRoot(options)], providers: [NoOp, Unique] })
  class BenchModule {}
  return {
    app: await NestFactory.createApplicationContext(BenchModule, { logger: false, abortOnError: false }),
    NoOp,
    Unique,
  };
}
