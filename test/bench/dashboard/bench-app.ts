import { Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobQueue, JobsModule } from 'nestjs-jobs';
import { JobsDashboardModule } from 'nestjs-jobs/dashboard';
import { benchJobs, Tick } from './bench-jobs.js';

const tickMs = 20;

export interface BenchApp {
  readonly app: INestApplication;
  /** Of the dashboard, ending in a slash. */
  readonly url: string;
  /** From now on a task comes in fifty times a second, and runs. */
  readonly work: () => void;
  readonly close: () => Promise<void>;
}

/** An application on Express with a dashboard and a runner of its own, listening. */
export async function openApp(backend: string): Promise<BenchApp> {
  @Module({
    imports: [
      JobsModule.forRoot({
        backend,
        log: false,
        runner: { concurrency: 100, autoStart: false, shutdownTimeout: '1s' },
      }),
      JobsDashboardModule.forRoot({ authorize: () => ['view', 'operate', 'enqueue'], user: () => 'bench' }),
    ],
    providers: benchJobs,
  })
  class BenchModule {}
  const app = await NestFactory.create(BenchModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const jobs = app.get(JobQueue);
  let [at, timer]: [number, NodeJS.Timeout | undefined] = [0, undefined];
  return {
    app,
    url: `${await app.getUrl()}/jobs/`,
    work: () => {
      timer = setInterval(() => void jobs.enqueue(Tick, at++), tickMs);
    },
    close: async () => {
      clearInterval(timer);
      await app.close();
    },
  };
}
