import { describe, expect, it } from '@jest/globals';
import { Scope } from '@nestjs/common';
import {
  Job,
  JobHooks,
  LockConflictError,
  type EnqueueOptions,
  type EnqueueDefaults,
  type Task,
  type TaskInfo,
  type UniqueOptions,
} from 'nestjs-jobs';
import { endingOf, type Ending } from './fixtures/ending.js';
import { aborted, gate, type Gate } from './fixtures/gate.js';
import { start, type StartOptions } from './fixtures/start.js';

const second = 1_000;

/** What happened to the tasks of all jobs, as hooks for all of them see it. */
function hooksForAll() {
  const told: string[] = [];
  @JobHooks()
  class Told {
    beforeRun({ id }: Task): void {
      told.push(`before ${id}`);
    }
    afterRun(success: boolean, { id, error }: Task): void {
      told.push(`after ${id}: ${success} ${(error as Error | undefined)?.name}`);
    }
  }
  return { Told, told };
}

/** A job whose runs go on until the test ends them. Its tasks are all the same. */
async function startSyncs(
  unique: Partial<UniqueOptions>,
  job: EnqueueDefaults = {},
  more: StartOptions = {},
) {
  const running = new Map<string, Gate>();
  const began: string[] = [];
  const endings: Ending[] = [];
  @Job({ unique: { lock: 'while_executing', ...unique }, keep: '1h', ...job })
  class Sync {
    async run(_: void, task: Task): Promise<void> {
      const end = gate();
      began.push(task.id);
      running.set(task.id, end);
      await Promise.race([end.opened, aborted(task.signal)]).finally(() => running.delete(task.id));
    }
    afterRun(success: boolean, task: Task): void {
      endings.push(endingOf(success, task));
    }
  }
  const app = await start({ ...more, providers: [Sync, ...(more.providers ?? [])] });
  return {
    ...{ app, Sync, began, endings },
    /** Who runs now. */
    running: () => [...running.keys()],
    task: (id: string): Promise<TaskInfo | undefined> => app.catalog.task({ queue: 'default', id }),
    async enqueue(id: string, options: EnqueueOptions = {}): Promise<void> {
      const enqueued = await app.jobs.enqueue(Sync, undefined, { id, ...options });
      expect(enqueued).toEqual({ id, queue: 'default', status: 'enqueued' });
      await app.advance(0);
    },
    async end(id: string, error?: Error): Promise<void> {
      if (error) running.get(id)!.fail(error);
      else running.get(id)!.open();
      await app.advance(0);
    },
  };
}

describe('A task that meets the lock of a running one and is rejected', () => {
  it('ends as cancelled without a run, with a reason that names the holder', async () => {
    const { began, enqueue, task, end, app } = await startSyncs({});
    await enqueue('one');
    await enqueue('two');
    expect(await task('two')).toMatchObject({
      ...{ state: 'cancelled', reason: 'task one holds its lock', failures: 0, errors: [] },
      finishedAt: new Date(app.now()),
    });
    await end('one');
    expect(await task('one')).toMatchObject({ state: 'succeeded' });
    await enqueue('three');
    expect(began).toEqual(['one', 'three']);
  });

  it('is told to afterRun with the conflict, of the job and of all jobs, and not to beforeRun', async () => {
    const { Told, told } = hooksForAll();
    const { enqueue, endings, end } = await startSyncs({}, {}, { providers: [Told] });
    await enqueue('one');
    await enqueue('two');
    const [{ error, ...ending }] = endings as [Ending];
    expect(ending).toMatchObject({ success: false, id: 'two', willRetry: false, result: undefined });
    expect(error).toBeInstanceOf(LockConflictError);
    expect(error).toMatchObject({ code: 'LOCK_CONFLICT', job: 'Sync', id: 'two', holder: 'one' });
    expect((error as Error).message).toBe('Sync: task two is not unique: task one holds the lock');
    await end('one');
    expect(told).toEqual(['before one', 'after two: false LockConflictError', 'after one: true undefined']);
  });

  it('leaves one line that names the holder, and none that it had started', async () => {
    const { app, enqueue } = await startSyncs({});
    await enqueue('one');
    await enqueue('two');
    const lines = app.lines.filter(({ message }) => message.includes('task two'));
    expect(lines).toEqual([
      { level: 'warn', context: 'Sync', message: 'task two is cancelled: task one holds its lock' },
    ]);
  });

  it('stays as long as a cancelled task does', async () => {
    const { app, enqueue, task } = await startSyncs({}, {}, { options: { retention: { cancelled: '10s' } } });
    await enqueue('one');
    await enqueue('two');
    await app.advance(10 * second - 1);
    expect(await task('two')).toBeDefined();
    await app.advance(1);
    expect(await task('two')).toBeUndefined();
  });

  it('is rejected whatever it was enqueued for: priority does not take a lock away', async () => {
    const { began, enqueue, task } = await startSyncs({});
    await enqueue('one', { priority: 10 });
    await enqueue('two', { priority: -10 });
    expect([began, (await task('two'))?.state]).toEqual([['one'], 'cancelled']);
  });

  it('is another one where both were to start in the same moment: the best goes first', async () => {
    const { app, enqueue, began, task } = await startSyncs(
      {},
      {},
      { options: { runner: { autoStart: false } } },
    );
    await enqueue('one');
    await enqueue('two', { priority: -1 });
    await app.runner.start();
    await app.advance(0);
    expect([began, (await task('one'))?.reason]).toEqual([['two'], 'task two holds its lock']);
  });

  it('is told to the instance of a job that is made for each task', async () => {
    const told: unknown[] = [];
    const end = gate();
    @Job({ unique: { lock: 'while_executing' }, scope: Scope.REQUEST })
    class Scoped {
      private id = 'unknown';
      beforeRun({ id }: Task): void {
        this.id = id;
      }
      run(): Promise<void> {
        return end.opened;
      }
      afterRun(success: boolean, { id, error }: Task): void {
        told.push([this.id, id, success, error instanceof LockConflictError]);
      }
    }
    const app = await start({ providers: [Scoped] });
    await app.jobs.enqueue(Scoped, undefined, { id: 'one' });
    await app.advance(0);
    await app.jobs.enqueue(Scoped, undefined, { id: 'two' });
    await app.advance(0);
    end.open();
    await app.advance(0);
    expect(told).toEqual([
      ['unknown', 'two', false, true],
      ['one', 'one', true, false],
    ]);
  });
});

describe('A task that meets the lock of a running one and raises', () => {
  it('fails the attempt and follows the retry rules, until the lock is free', async () => {
    const { app, enqueue, task, end, endings, began } = await startSyncs({ onConflict: 'raise' });
    await enqueue('one');
    await enqueue('two');
    expect(endings).toMatchObject([{ id: 'two', success: false, willRetry: true, attempt: 1 }]);
    expect(endings[0]!.error).toBeInstanceOf(LockConflictError);
    expect(await task('two')).toMatchObject({
      ...{ state: 'scheduled', attempt: 1, failures: 1, dueAt: new Date(app.now() + 2 * second) },
      errors: [
        { name: 'LockConflictError', message: 'Sync: task two is not unique: task one holds the lock' },
      ],
    });
    await app.advance(2 * second);
    expect(await task('two')).toMatchObject({
      attempt: 2,
      failures: 2,
      dueAt: new Date(app.now() + 8 * second),
    });
    await end('one');
    await app.advance(8 * second);
    expect(began).toEqual(['one', 'two']);
    await end('two');
    expect(await task('two')).toMatchObject({ state: 'succeeded', attempt: 3, failures: 2 });
  });

  it('is dead after its last retry, or where shouldRetry says so', async () => {
    const { enqueue, task, app, endings } = await startSyncs({ onConflict: 'raise' });
    await enqueue('one');
    await enqueue('two', { retries: ['1s'] });
    await app.advance(second);
    expect(await task('two')).toMatchObject({ state: 'dead', attempt: 2 });
    expect(endings.map(({ willRetry }) => willRetry)).toEqual([true, false]);

    const asked: unknown[] = [];
    const end = gate();
    @Job({ unique: { lock: 'while_executing', onConflict: 'raise' } })
    class Choosy {
      run(): Promise<void> {
        return end.opened;
      }
      shouldRetry(failures: number, error: unknown): boolean {
        asked.push([failures, (error as Error).name]);
        return !(error instanceof LockConflictError);
      }
    }
    const other = await start({ providers: [Choosy] });
    for (const id of ['a', 'b']) {
      await other.jobs.enqueue(Choosy, undefined, { id });
      await other.advance(0);
    }
    expect(asked).toEqual([[1, 'LockConflictError']]);
    expect(await other.catalog.task('b')).toMatchObject({ state: 'dead', attempt: 1 });
    end.open();
  });
});

describe('A task that meets the lock of a running one and is rescheduled', () => {
  it('comes back every five seconds, at no cost, until the lock is free', async () => {
    const { Told, told } = hooksForAll();
    const { app, enqueue, task, end, began, endings } = await startSyncs(
      { onConflict: 'reschedule' },
      { retries: 0 },
      { providers: [Told] },
    );
    await enqueue('one');
    await enqueue('two');
    for (let tries = 0; tries < 10; tries++) {
      expect(await task('two')).toMatchObject({
        ...{
          state: 'scheduled',
          attempt: 0,
          failures: 0,
          errors: [],
          dueAt: new Date(app.now() + 5 * second),
        },
      });
      await app.advance(5 * second);
    }
    await end('one');
    expect(began).toEqual(['one']);
    await app.advance(5 * second);
    expect(began).toEqual(['one', 'two']);
    await end('two');
    expect(await task('two')).toMatchObject({ state: 'succeeded', attempt: 1 });
    expect(endings.map(({ id }) => id)).toEqual(['one', 'two']);
    expect(told.filter((line) => line.includes('two'))).toEqual(['before two', 'after two: true undefined']);
  });

  it('comes back after its own time, and says why in the log', async () => {
    const { app, enqueue, task } = await startSyncs({ onConflict: 'reschedule', retryAfter: '250ms' });
    await enqueue('one');
    await enqueue('two');
    expect((await task('two'))?.dueAt).toEqual(new Date(app.now() + 250));
    const lines = app.lines.filter(({ message }) => message.includes('task two'));
    expect(lines).toEqual([
      { level: 'log', context: 'Sync', message: 'task two waits 250 ms: task one holds its lock' },
    ]);
  });

  it('never runs beside another of its key, however many there are', async () => {
    const { app, enqueue, began, running, end } = await startSyncs({ onConflict: 'reschedule' });
    for (let task = 0; task < 5; task++) await enqueue(`${task}`);
    for (let ended = 0; ended < 5; ended++) {
      expect(running()).toHaveLength(1);
      await end(running()[0]!);
      await app.advance(5 * second);
    }
    expect(running()).toEqual([]);
    expect(began.toSorted()).toEqual(['0', '1', '2', '3', '4']);
  });

  it('may be cancelled while it stays away', async () => {
    const { app, enqueue, task, began, end } = await startSyncs({ onConflict: 'reschedule' });
    await enqueue('one');
    await enqueue('two');
    expect(await app.catalog.cancel('two')).toBe('done');
    await end('one');
    await app.advance(10 * second);
    expect([began, (await task('two'))?.reason]).toEqual([['one'], 'cancelled']);
  });

  it('is made due by runNow, which takes no lock away', async () => {
    const { app, enqueue, task, began } = await startSyncs({ onConflict: 'reschedule', retryAfter: '1h' });
    await enqueue('one');
    await enqueue('two');
    expect(await app.catalog.runNow('two')).toBe('done');
    await app.advance(0);
    expect(began).toEqual(['one']);
    expect(await task('two')).toMatchObject({ state: 'scheduled', attempt: 0 });
  });

  it('does so before its params are read: one that cannot run here is no burden to others', async () => {
    const { app, enqueue, task } = await startSyncs({ onConflict: 'reschedule' });
    await enqueue('one');
    const lock = (await task('one'))!.lock!;
    const stranger = { queue: 'default', id: 'x', token: 'x', job: 'Unknown', params: '', priority: 0 };
    await app.store.tasks.add([[{ ...stranger, due: { inMs: 0 }, retries: 0, lock }]]);
    await app.advance(0);
    expect(await task('x')).toMatchObject({ state: 'scheduled' });
  });
});

describe('The lock of a run', () => {
  it('is over at its timeout, though a handler that is deaf to its signal goes on', async () => {
    const began: string[] = [];
    const end = gate();
    @Job({ unique: { lock: 'while_executing' }, timeout: '10s', retries: 0 })
    class Deaf {
      async run(_: void, { id }: Task): Promise<void> {
        began.push(id);
        await end.opened;
      }
    }
    const app = await start({ providers: [Deaf] });
    await app.jobs.enqueue(Deaf, undefined, { id: 'one' });
    await app.advance(10 * second);
    await app.jobs.enqueue(Deaf, undefined, { id: 'two' });
    await app.advance(0);
    expect([began, app.runner.abandoned]).toEqual([['one', 'two'], 1]);
    end.open();
  });
});

describe('Two runners of one queue', () => {
  it('hold one lock together', async () => {
    const { app, Sync, began, running, end, enqueue, task } = await startSyncs(
      { onConflict: 'reschedule' },
      {},
      { options: { runner: { concurrency: 1 } } },
    );
    await start({ providers: [Sync], beside: app, options: { runner: { concurrency: 1 } } });
    await enqueue('one');
    await enqueue('two');
    expect(running()).toEqual(['one']);
    expect(await task('two')).toMatchObject({ state: 'scheduled', attempt: 0 });
    await end('one');
    await app.advance(5 * second);
    expect([began, running()]).toEqual([['one', 'two'], ['two']]);
    await end('two');
  });
});

describe('A lock until_executed that another task has taken between two runs', () => {
  it('stops no retry: both run, and the earlier task does not free what is the later one’s', async () => {
    const { app, Sync, began, enqueue, end, running } = await startSyncs(
      { lock: 'until_executed' },
      { backoff: '1m' },
    );
    await enqueue('one');
    await end('one', new Error('no'));
    await enqueue('two');
    await app.advance(60 * second);
    expect(running()).toEqual(['two', 'one']);
    await end('one');
    expect(began).toEqual(['one', 'two', 'one']);
    expect(await app.jobs.enqueue(Sync)).toMatchObject({ status: 'rejected', holder: 'two' });
    await end('two');
    expect(await app.jobs.enqueue(Sync)).toMatchObject({ status: 'enqueued' });
  });
});

describe('The way of a lock from case to case', () => {
  it('until_executing: when the first has started, a second may be enqueued', async () => {
    const { app, Sync, enqueue, running } = await startSyncs({ lock: 'until_executing' });
    await enqueue('one');
    await enqueue('two');
    expect(running()).toEqual(['one', 'two']);
    await app.catalog.pause('default');
    await enqueue('three');
    expect(await app.jobs.enqueue(Sync)).toMatchObject({ status: 'rejected', holder: 'three' });
  });

  it('until_executed: two enqueued are one task; after success a third is accepted', async () => {
    const { app, Sync, enqueue, end, began } = await startSyncs({ lock: 'until_executed' });
    await enqueue('one');
    expect(await app.jobs.enqueue(Sync)).toMatchObject({ status: 'rejected', holder: 'one' });
    await end('one');
    await enqueue('three');
    expect(began).toEqual(['one', 'three']);
  });

  it('until_completed: rejected through every failed attempt, accepted after death', async () => {
    const { app, Sync, enqueue, end, task } = await startSyncs(
      { lock: 'until_completed' },
      { retries: ['1s', '1s'] },
    );
    await enqueue('one');
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await app.jobs.enqueue(Sync)).toMatchObject({ status: 'rejected', holder: 'one' });
      await end('one', new Error('no'));
      if (attempt < 3)
        expect(await app.jobs.enqueue(Sync)).toMatchObject({ status: 'rejected', holder: 'one' });
      await app.advance(second);
    }
    expect((await task('one'))?.state).toBe('dead');
    await enqueue('two');
  });
});
