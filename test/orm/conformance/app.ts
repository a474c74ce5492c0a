import { randomUUID } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { Job, JobCatalog, JobQueue, JobsModule, type Task } from 'nestjs-jobs';
import { eventually } from '../../support/app.js';
import type { Database } from './database.js';

/** An application on a database, for all tests of a library; only the bell wakes its runner. */
export interface JoiningApp {
  readonly jobs: JobQueue;
  readonly Noting: new () => { run(name: string, task: Task): unknown };
  /** The names and attempts of what has run. */
  readonly runs: string[];
  /** What a run does from now on. */
  act: (name: string, task: Task) => unknown;
  /** Waits until nothing is left to do. */
  isDone(): Promise<void>;
  close(): Promise<void>;
}

export async function openApp(database: Database): Promise<JoiningApp> {
  const runs: string[] = [];
  @Job({ queue: 'noting', name: 'Noting', retries: 3, backoff: '20ms' })
  class Noting {
    async run(name: string, task: Task) {
      await opened.act(name, task);
      runs.push(`${name} ${task.attempt}`);
    }
  }
  const prefix = `j-${randomUUID()}`;
  const { backend } = database;
  const jobsModule = JobsModule.forRoot({ backend, prefix, runner: { pollInterval: '10m' }, log: false });
  const app = await Test.createTestingModule({ imports: [jobsModule], providers: [Noting] })
    .setLogger({ log() {}, warn() {}, error() {} })
    .compile();
  await app.init();
  const catalog = app.get(JobCatalog);
  const opened: JoiningApp = {
    jobs: app.get(JobQueue),
    Noting,
    runs,
    act: () => undefined,
    isDone: () =>
      eventually(async () => Object.values(await catalog.counts('noting')).every((count) => count === 0)),
    async close() {
      await app.close();
      await database.drop(prefix);
    },
  };
  return opened;
}
