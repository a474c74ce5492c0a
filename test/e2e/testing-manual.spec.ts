import { afterEach, describe, expect, it } from '@jest/globals';
import { Module, type INestApplicationContext, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Job, JobQueue, JobsModule, type JobHandler, type Task } from 'nestjs-jobs';
import { JobsTestingModule, TestJobs, type TestingOptions } from 'nestjs-jobs/testing';

const open: INestApplicationContext[] = [];
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

async function start(metadata: ModuleMetadata, options?: TestingOptions) {
  const app = await Test.createTestingModule({
    ...metadata,
    imports: [...(metadata.imports ?? []), JobsTestingModule.forRoot(options)],
  }).compile();
  open.push(app);
  await app.init();
  return { app, queue: app.get(JobQueue), jobs: app.get(TestJobs) };
}

const done: string[] = [];
afterEach(() => void done.splice(0));

@Job()
class Note implements JobHandler<string> {
  run(what: string, task: Task) {
    done.push(`${what} ${task.attempt}`);
  }
}

@Module({ imports: [JobsModule.forRoot({ backend: 'redis://nowhere.invalid:1' })], providers: [Note] })
class AppModule {}

describe('An application under test', () => {
  it('runs nothing until it is drained, and lists delayed tasks, too', async () => {
    const { queue, jobs } = await start({ imports: [AppModule] });
    await queue.enqueue(Note, 'a');
    await queue.enqueue(Note, 'b', { in: '5m' });
    expect(done).toEqual([]);
    expect(jobs.enqueued(Note).map(({ params, options }) => [params, options])).toEqual([
      ['a', {}],
      ['b', { in: '5m' }],
    ]);
    const before = jobs.now.getTime();
    expect(await jobs.drain()).toMatchObject({ succeeded: 2 });
    expect(done).toEqual(['a 1', 'b 1']);
    expect(jobs.now.getTime() - before).toBe(300_000);
  });
});
