import { describe, expect, it } from '@jest/globals';
import { Job, JobEvents, type JobEvent, type JobsOptions } from 'nestjs-jobs';
import { postgresBackend } from 'nestjs-jobs/postgres';
import { eventually, startApp } from '../support/app.js';
import { freshDatabase } from '../support/fresh-database.js';
import { newPrefix } from './fixtures/redis-jobs.js';

@Job({ retries: 0 })
class Work {
  run(how: string): void {
    if (how === 'fail') throw new Error('no');
  }
}

/** A process that only looks on hears of what one that runs tasks, and one that enqueues, have done. */
async function expectEvents(options: () => JobsOptions): Promise<void> {
  const cluster = () => ({ ...options(), events: { scope: 'cluster' as const } });
  const watcher = await startApp({ options: { ...cluster(), runner: false }, realTime: true });
  const heard: JobEvent[] = [];
  watcher.app.get(JobEvents).all.subscribe((event) => heard.push(event));
  const worker = await startApp({ options: cluster(), providers: [Work], realTime: true });
  const web = await startApp({ options: { ...cluster(), runner: false }, realTime: true });
  // Until all know what is wanted, an event may go unheard.
  await eventually(async () => {
    await web.jobs.enqueue(Work, 'ok');
    return heard.some(({ type }) => type === 'enqueued') && heard.some(({ type }) => type === 'succeeded');
  });
  const { id } = await web.jobs.enqueue(Work, 'fail');
  // Each process sends its own in its own time.
  const isTold = (type: string) => heard.some((event) => event.id === id && event.type === type);
  await eventually(() => ['enqueued', 'started', 'failed', 'dead'].every(isTold));
  const [by, from] = [worker, web].map(({ app }) => app.get(JobEvents).origin);
  const told = heard.filter((event) => event.id === id).map(({ type, origin }) => [type, origin]);
  expect(told.toSorted()).toEqual(
    [
      ['enqueued', from],
      ['started', by],
      ['failed', by],
      ['dead', by],
    ].toSorted(),
  );
}

describe('Events of all processes', () => {
  it('come through Redis', async () => {
    const prefix = newPrefix();
    await expectEvents(() => ({ backend: process.env.TEST_REDIS_URL!, prefix }));
  });

  it('come through PostgreSQL', async () => {
    const database = await freshDatabase();
    try {
      await expectEvents(() => ({ backend: postgresBackend({ url: database.url }) }));
    } finally {
      await database.drop();
    }
  });
});
