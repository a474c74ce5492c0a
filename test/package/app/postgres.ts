import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Job, JobQueue, JobsModule, type Backend, type JobHandler, type Task } from 'nestjs-jobs';
import { postgresBackend, type PostgresBackendOptions } from 'nestjs-jobs/postgres';
import { setTimeout as sleep } from 'node:timers/promises';

const done: string[] = [];

@Job()
class Note implements JobHandler<string> {
  async run(what: string, task: Task): Promise<void> {
    await task.transaction(async (tx: { query(sql: string): Promise<unknown> }) => tx.query('SELECT 1'));
    done.push(what);
  }
}

const start = (backend: string | Backend) => {
  @Module({ imports: [JobsModule.forRoot({ backend })], providers: [Note] })
  class PostgresModule {}
  return NestFactory.createApplicationContext(PostgresModule, { abortOnError: false });
};

const options: PostgresBackendOptions = { url: 'postgres://localhost/app', notify: false };

/** What an application is told that has not installed what its backend needs. */
export async function whatIsMissing(): Promise<string[]> {
  const says: string[] = [];
  for (const backend of ['pglite:memory://', postgresBackend(options)])
    await start(backend).then(
      (app) => app.close(),
      (error: Error) => says.push(/npm install [^`]*/.exec(error.message)?.[0] ?? error.message),
    );
  return says;
}

/** From a start to an end, with a task between them. */
export async function runsInProcess(): Promise<boolean> {
  const app = await start('pglite:memory://');
  await app.get(JobQueue).enqueue(Note, 'in PGlite');
  const until = Date.now() + 30_000;
  while (done.length === 0 && Date.now() < until) await sleep(10);
  await app.close();
  return done.join() === 'in PGlite';
}
