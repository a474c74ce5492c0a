import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Job, JobCatalog, JobQueue } from 'nestjs-jobs';
import {
  EndlessWorkError,
  JobsTestingModule,
  TestJobs,
  TestJobsError,
  type TestingMode,
} from 'nestjs-jobs/testing';
import { settled } from '../support/app.js';
import { watchingTimers } from '../support/open-timers.js';
import { silentLogger, startUnderTest } from './fixtures/testing-app.js';

@Job()
class Note {
  run() {}
}

@Job()
class Hang {
  run() {
    return new Promise<void>(() => undefined);
  }
}

@Job()
class Again {
  constructor(private readonly queue: JobQueue) {}

  async run() {
    await this.queue.enqueue(Again);
  }
}

interface Stage {
  readonly queue: JobQueue;
  readonly jobs: TestJobs;
  readonly catalog: JobCatalog;
}

/** Begins something, closes the application, and answers what became of it; fails where that leaves a timer open. */
async function closedDuring(mode: TestingMode, begin: (stage: Stage) => Promise<unknown>): Promise<unknown> {
  return watchingTimers(async (openTimers) => {
    const app = await Test.createTestingModule({
      imports: [JobsTestingModule.forRoot({ mode, patience: 50 })],
      providers: [Note, Hang],
    })
      .setLogger(silentLogger)
      .compile();
    await app.init();
    const stage = { queue: app.get(JobQueue), jobs: app.get(TestJobs), catalog: app.get(JobCatalog) };
    const end = begin(stage).catch((error: unknown) => error);
    await settled();
    await app.close();
    const ended = await end;
    await settled();
    expect(openTimers()).toBe(0);
    return ended;
  });
}

describe('An application under test that is closed', () => {
  it('ends a drain in real time that would wait for tomorrow', async () => {
    const end = await closedDuring('real', async ({ queue, jobs }) => {
      await queue.enqueue(Note, undefined, { in: '1d' });
      return jobs.drain();
    });
    expect(end).toBeInstanceOf(TestJobsError);
    expect(end).toMatchObject({ message: expect.stringContaining('closed while it was drained') });
  });

  it('ends a drain in virtual time', async () => {
    const end = await closedDuring('manual', async ({ queue, jobs }) => {
      await queue.enqueue(Hang);
      return jobs.drain();
    });
    expect(end).toBeInstanceOf(Error);
  });

  it('hands back what enqueue runs inline', async () => {
    const end = await closedDuring('inline', ({ queue }) => queue.enqueue(Hang));
    expect(end).toMatchObject({ status: 'enqueued' });
  });

  it('hands back what runJob runs', async () => {
    expect(await closedDuring('manual', ({ jobs }) => jobs.runJob(Hang))).toEqual({ type: 'handed-back' });
    expect(await closedDuring('real', ({ jobs }) => jobs.runJob(Hang))).toEqual({ type: 'handed-back' });
  });
});

describe('A drain in real time', () => {
  it('says what keeps it from ending: a paused queue', async () => {
    const { queue, jobs, catalog } = await startUnderTest(
      { providers: [Note] },
      { mode: 'real', patience: 50 },
    );
    await catalog.pause('default');
    await queue.enqueue(Note);
    const draining = jobs.drain();
    await expect(draining).rejects.toBeInstanceOf(EndlessWorkError);
    await expect(draining).rejects.toThrow(/1 of Note waiting in the paused queue default/);
    await catalog.resume('default');
    await jobs.drain();
  });

  it('waits for a pause that ends by itself', async () => {
    const { queue, jobs, catalog } = await startUnderTest(
      { providers: [Note] },
      { mode: 'real', patience: 20 },
    );
    await catalog.pause('default', { for: 300 });
    await queue.enqueue(Note);
    expect(await jobs.drain()).toMatchObject({ succeeded: 1 });
  });

  it('says what keeps it from ending: a task that enqueues itself', async () => {
    const { queue, jobs } = await startUnderTest({ providers: [Again] }, { mode: 'real', limit: 50 });
    await queue.enqueue(Again);
    await expect(jobs.drain()).rejects.toThrow(/more than 50 runs.*Again \d+ times/);
    await jobs.clear();
  });
});
