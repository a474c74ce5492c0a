import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Job, JobHooks, JobQueue, Periodic, type JobHandler, type Task, type TaskHooks } from 'nestjs-jobs';
import { TestJobsError } from 'nestjs-jobs/testing';
import { startUnderTest } from './fixtures/testing-app.js';

class MailError extends Error {}

@Injectable()
class Journal {
  readonly lines: string[] = [];
}

@Job({ unique: { lock: 'until_completed' }, retries: 1 })
class Send implements JobHandler<string> {
  constructor(
    private readonly journal: Journal,
    private readonly queue: JobQueue,
  ) {}

  async run(what: string) {
    this.journal.lines.push(`run ${what}`);
    if (what === 'bad') throw new MailError('no mail today');
    if (what === 'parent') await this.queue.enqueue(Send, 'child', { in: '1d' });
  }
}

@JobHooks()
class Hooks implements TaskHooks {
  constructor(private readonly journal: Journal) {}

  beforeEnqueue({ params }: Task) {
    this.journal.lines.push(`beforeEnqueue ${params}`);
  }
  afterEnqueue(success: boolean, { params }: Task) {
    this.journal.lines.push(`afterEnqueue ${params} ${success}`);
  }
  beforeRun({ params }: Task) {
    this.journal.lines.push(`beforeRun ${params}`);
  }
  afterRun(success: boolean, { params, willRetry }: Task) {
    this.journal.lines.push(`afterRun ${params} ${success}${willRetry ? ', again' : ''}`);
  }
}

const start = (providers: never[] = []) =>
  startUnderTest({ providers: [Journal, Send, ...providers] }, { mode: 'inline' });

describe('An application under test, inline', () => {
  it('runs a task before enqueue resolves, delayed or not, and what it enqueues as well', async () => {
    const { queue, jobs, app } = await start();
    expect(await queue.enqueue(Send, 'parent', { in: '1h' })).toMatchObject({ status: 'enqueued' });
    expect(app.get(Journal).lines).toEqual(['run parent', 'run child']);
    expect(jobs.enqueued(Send).map(({ params }) => params)).toEqual(['parent', 'child']);
  });

  it('runs a unique task as often as it is enqueued', async () => {
    const { queue, app } = await start();
    await queue.enqueue(Send, 'a');
    await queue.enqueue(Send, 'a');
    expect(app.get(Journal).lines).toEqual(['run a', 'run a']);
  });

  it('rejects with what the task throws, and all hooks are called', async () => {
    const { queue, app } = await start([Hooks as never]);
    const enqueueing = queue.enqueue(Send, 'bad');
    await expect(enqueueing).rejects.toBeInstanceOf(MailError);
    await expect(enqueueing).rejects.toThrow('no mail today');
    expect(app.get(Journal).lines).toEqual([
      'beforeEnqueue bad',
      'afterEnqueue bad true',
      'beforeRun bad',
      'run bad',
      'afterRun bad false, again',
    ]);
  });

  it('keeps a failed task for its retry, which a drain makes', async () => {
    const { queue, jobs, catalog } = await start();
    await queue.enqueue(Send, 'bad', { id: 'b' }).catch(() => undefined);
    expect(await catalog.task('b')).toMatchObject({ state: 'scheduled', failures: 1 });
    expect(await jobs.drain()).toMatchObject({ dead: 1, failed: 0 });
  });

  it('runs all tasks of a bulk, and rejects with the first error', async () => {
    const { queue, app } = await start();
    const bulk = queue.bulk((bulk) => {
      for (const what of ['a', 'bad', 'b']) bulk.enqueue(Send, what);
    });
    await expect(bulk).rejects.toThrow('no mail today');
    expect(app.get(Journal).lines).toEqual(['run a', 'run bad', 'run b']);
  });

  it('stores results that are to be kept, and what the run said', async () => {
    @Job({ keep: '1h' })
    class Count {
      run(_: void, task: Task) {
        task.progress(70, 'seven of ten');
        task.log('counted');
        return 7;
      }
    }
    const { queue, catalog } = await start([Count as never]);
    const task = await queue.enqueue(Count);
    expect(await catalog.task(task.id)).toMatchObject({
      state: 'succeeded',
      result: 7,
      attempt: 1,
      progress: { percent: 70, note: 'seven of ten' },
      lines: [{ message: 'counted' }],
    });
    expect(await queue.result(task)).toBe(7);
  });

  it('leaves schedules to time', async () => {
    const { queue, jobs, app } = await start();
    await queue.enqueue(Send, 'hourly', { every: '1h' });
    expect(app.get(Journal).lines).toEqual([]);
    await jobs.advance('1h');
    expect(app.get(Journal).lines).toEqual(['run hourly', 'run hourly']);
  });

  it('leaves tasks of a paused queue, and those that snooze, to a later drain', async () => {
    let isReady = false;
    @Job()
    class Snooze {
      run(_: void, task: Task) {
        if (!isReady) task.snooze('1h');
      }
    }
    const { queue, jobs, app, catalog } = await start([Snooze as never]);
    await queue.enqueue(Snooze);
    await catalog.pause('default');
    await queue.enqueue(Send, 'a');
    expect(app.get(Journal).lines).toEqual([]);
    await catalog.resume('default');
    isReady = true;
    expect(await jobs.drain()).toMatchObject({ succeeded: 2 });
  });

  it('lets the handler of a slot have what it enqueues run, and fail, as any caller', async () => {
    const caught: unknown[] = [];
    @Job()
    class Parent {
      constructor(private readonly queue: JobQueue) {}

      async run() {
        await this.queue.enqueue(Send, 'bad').catch((error: unknown) => caught.push(error));
        await this.queue.enqueue(Send, 'good', { in: '1d' });
      }
    }
    const { queue, jobs, app } = await start([Parent as never]);
    await queue.enqueue(Parent, undefined, { every: '1h' });
    await jobs.advance(0);
    expect(caught).toEqual([expect.any(MailError)]);
    expect(app.get(Journal).lines).toEqual(['run bad', 'run good']);
  });

  it('has time stand still for a handler that takes longer than the patience', async () => {
    @Job()
    class Slow {
      async run() {
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
    @Periodic('1h')
    class Hourly {
      run() {}
    }
    const { queue, jobs } = await startUnderTest(
      { providers: [Slow, Hourly] },
      { mode: 'inline', patience: 50 },
    );
    const before = jobs.now;
    await queue.enqueue(Slow);
    await jobs.runJob(Slow);
    expect(jobs.now).toEqual(before);
  });

  it('lets time pass for a handler that waits for its timeout', async () => {
    @Job({ timeout: '30s' })
    class Hang {
      run() {
        return new Promise(() => undefined);
      }
    }
    const { queue } = await startUnderTest({ providers: [Hang] }, { mode: 'inline', patience: 50 });
    await expect(queue.enqueue(Hang)).rejects.toMatchObject({ code: 'TASK_TIMEOUT' });
  });
});

describe('An application under test, real', () => {
  it('runs by itself, in real time', async () => {
    const { queue, jobs, app } = await startUnderTest({ providers: [Journal, Send] }, { mode: 'real' });
    const before = Date.now();
    await queue.enqueue(Send, 'a', { in: 100 });
    await queue.enqueue(Send, 'b');
    expect(await jobs.drain()).toMatchObject({ succeeded: 2 });
    expect(Date.now() - before).toBeGreaterThanOrEqual(99);
    expect(app.get(Journal).lines).toEqual(['run b', 'run a']);
    expect(jobs.enqueued(Send)).toHaveLength(2);
    await expect(jobs.advance('1h')).rejects.toBeInstanceOf(TestJobsError);
  });
});
