import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  Job,
  LockConflictError,
  Periodic,
  type EnqueueDefaults,
  type EnqueueOptions,
  type JobsOptions,
  type Task,
  type UniqueOptions,
} from 'nestjs-jobs';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import { endingOf, type Ending } from './fixtures/ending.js';
import { gate, type Gate } from './fixtures/gate.js';
import { isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;

interface Params {
  readonly user: string;
}

/** Two applications with one job, whose runs go on until the test ends them, and a look at the locks in the server. */
async function startCharges(unique: UniqueOptions, job: EnqueueDefaults = {}) {
  const running = new Map<string, Gate>();
  const began: string[] = [];
  const endings: Ending[] = [];
  const queue = `charges-${randomUUID()}`;
  @Job({ queue, unique, keep: '10s', ...job })
  class Charge {
    async run(_params: Params, task: Task): Promise<void> {
      const end = gate();
      began.push(task.id);
      running.set(task.id, end);
      await end.opened.finally(() => running.delete(task.id));
    }
    afterRun(success: boolean, task: Task): void {
      endings.push(endingOf(success, task));
    }
  }
  const prefix = newPrefix();
  const options: JobsOptions = { backend: url, prefix, runner: { pollInterval: '200ms', lease: '1s' } };
  const worker = await startApp({ providers: [Charge], options, realTime: true });
  const web = await startApp({ options: { ...options, runner: false }, realTime: true });
  const admin = adminOf(url);
  return {
    ...{ worker, Charge, queue, prefix, began, endings, running },
    enqueue: (call?: EnqueueOptions, user = 'ada') => web.jobs.enqueue(Charge, { user }, call),
    task: (id: string) => worker.catalog.task({ queue, id }),
    locks: () => admin.hgetall(`${prefix}:{${queue}}:locks`),
    runs: (id: string) => eventually(() => running.has(id)),
    async end(id: string, error?: Error): Promise<void> {
      await eventually(() => running.has(id));
      if (error) running.get(id)!.fail(error);
      else running.get(id)!.open();
    },
    /** Nothing is left to do, and no lock is left over. */
    async quiet(): Promise<void> {
      await eventually(() => isDone(worker.catalog, queue));
      expect(await admin.hgetall(`${prefix}:{${queue}}:locks`)).toEqual({});
    },
  };
}

describe('On Redis a unique job', () => {
  it('until_completed: is one task among many callers, through a retry, until success', async () => {
    const { enqueue, end, runs, task, quiet, locks } = await startCharges(
      { lock: 'until_completed' },
      { backoff: '300ms' },
    );
    const answers = await Promise.all(Array.from({ length: 50 }, () => enqueue()));
    const stored = answers.filter(({ status }) => status === 'enqueued');
    expect(stored).toHaveLength(1);
    const { id } = stored[0]!;
    const others = answers.filter(({ status }) => status === 'rejected');
    expect(others.map(({ holder }) => holder)).toEqual(Array(49).fill(id));
    const [[key, holder]] = Object.entries(await locks()) as [[string, string]];
    expect([/^[\w-]{22}$/.test(key), holder]).toEqual([true, id]);
    await end(id, new Error('no money'));
    await eventually(async () => (await task(id))?.failures === 1);
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: id });
    await runs(id);
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: id });
    await end(id);
    await quiet();
    const next = await enqueue();
    expect(next.status).toBe('enqueued');
    await end(next.id);
    await quiet();
  });

  it('travels with the others of its moment also where a conflict is to raise', async () => {
    const server = await ownRedis();
    @Job({ unique: { lock: 'until_completed', onConflict: 'raise' } })
    class Charge {
      run(_params: Params): void {}
    }
    const options = { backend: server.url, runner: false } as const;
    const { jobs, catalog } = await startApp({ options, realTime: true });
    await jobs.enqueue(Charge, { user: 'ada' });
    const admin = adminOf(server.url);
    await admin.config('RESETSTAT');
    const users = ['ada', ...Array.from({ length: 49 }, (_, index) => `user ${index}`)];
    const answers = await Promise.allSettled(users.map((user) => jobs.enqueue(Charge, { user })));
    expect((await admin.info('commandstats')).match(/cmdstat_eval\w*:calls=\d+/g)).toEqual([
      'cmdstat_evalsha:calls=1',
    ]);
    const raised = answers.filter(({ status }) => status === 'rejected');
    expect(raised).toMatchObject([{ reason: { code: 'LOCK_CONFLICT' } }]);
    expect(await catalog.counts('default')).toMatchObject({ waiting: 50 });
  });

  it('until_completed: is free after death, and leaves a dead task whose lock is taken', async () => {
    const { enqueue, end, task, worker, queue, quiet } = await startCharges(
      { lock: 'until_completed' },
      { retries: 0 },
    );
    await enqueue({ id: 'one' });
    await end('one', new Error('no money'));
    await eventually(async () => (await task('one'))?.state === 'dead');
    expect(await enqueue({ id: 'two', in: '1h' })).toMatchObject({ status: 'enqueued' });
    expect(await worker.catalog.retry({ queue, id: 'one' })).toBe('taken');
    expect(await worker.catalog.remove({ queue, id: 'two' })).toBe('done');
    expect(await worker.catalog.retry({ queue, id: 'one' })).toBe('done');
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'one' });
    await end('one');
    await quiet();
  });

  it('until_executing: lets a second one in when the first has started', async () => {
    const { enqueue, runs, end, quiet, worker, queue } = await startCharges({ lock: 'until_executing' });
    await worker.catalog.pause(queue);
    await enqueue({ id: 'one' });
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'one' });
    await worker.catalog.resume(queue);
    await runs('one');
    expect(await enqueue({ id: 'two' })).toMatchObject({ status: 'enqueued' });
    await end('two');
    await end('one');
    await quiet();
  });

  it('until_executed: is free between two runs, and both tasks run', async () => {
    const { enqueue, runs, end, began, task, quiet } = await startCharges(
      { lock: 'until_executed' },
      { backoff: '2s' },
    );
    await enqueue({ id: 'one' });
    await runs('one');
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'one' });
    await end('one', new Error('no money'));
    await eventually(async () => (await task('one'))?.state === 'scheduled');
    expect(await enqueue({ id: 'two' })).toMatchObject({ status: 'enqueued' });
    await runs('two');
    await end('one');
    await eventually(async () => (await task('one'))?.state === 'succeeded');
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'two' });
    await end('two');
    await quiet();
    expect(began).toEqual(['one', 'two', 'one']);
  });

  it('while_executing: is cancelled at its run, and afterRun is told by whom', async () => {
    const { enqueue, runs, end, endings, task, quiet } = await startCharges({ lock: 'while_executing' });
    await enqueue({ id: 'one' });
    await runs('one');
    expect(await enqueue({ id: 'two' })).toMatchObject({ status: 'enqueued' });
    await eventually(async () => (await task('two'))?.state === 'cancelled');
    expect((await task('two'))?.reason).toBe('task one holds its lock');
    expect(endings).toMatchObject([{ id: 'two', success: false, error: { holder: 'one' } }]);
    expect(endings[0]!.error).toBeInstanceOf(LockConflictError);
    await end('one');
    await quiet();
  });

  it('while_executing: runs one after the other where it is rescheduled, at no cost', async () => {
    const { enqueue, runs, end, task, quiet, running } = await startCharges(
      { lock: 'while_executing', onConflict: 'reschedule', retryAfter: '200ms' },
      { retries: 0 },
    );
    await enqueue({ id: 'one' });
    await runs('one');
    await enqueue({ id: 'two' });
    await eventually(async () => (await task('two'))?.state === 'scheduled');
    const { dueAt } = (await task('two'))!;
    await eventually(async () => (await task('two'))!.dueAt > dueAt);
    expect([...running.keys()]).toEqual(['one']);
    await end('one');
    await runs('two');
    expect(await task('two')).toMatchObject({ attempt: 1, failures: 0 });
    await end('two');
    await quiet();
  });

  it('raises at the enqueue with both ids, and of a bulk stores none', async () => {
    const { enqueue, worker, Charge, queue, end, locks, quiet } = await startCharges({
      lock: 'until_completed',
      onConflict: 'raise',
    });
    await worker.catalog.pause(queue);
    await enqueue({ id: 'one' });
    await expect(enqueue({ id: 'two' })).rejects.toMatchObject({
      ...{ code: 'LOCK_CONFLICT', job: 'Charge', id: 'two', holder: 'one' },
    });
    await expect(enqueue({ id: 'two' })).rejects.toThrow(LockConflictError);
    const bulk = worker.jobs.bulk((all) => {
      all.enqueue(Charge, { user: 'grace' });
      all.enqueue(Charge, { user: 'ada' }, { id: 'three' });
    });
    await expect(bulk).rejects.toMatchObject({ id: 'three', holder: 'one' });
    expect(await worker.catalog.counts(queue)).toMatchObject({ waiting: 1, scheduled: 0 });
    expect(Object.values(await locks())).toEqual(['one']);
    await worker.catalog.resume(queue);
    await end('one');
    await quiet();
  });

  it('gives its holder the newest params while that has not started', async () => {
    const { enqueue, task, runs, end, quiet } = await startCharges({
      ...{ lock: 'until_completed', onConflict: 'replace', by: () => 1 },
    });
    await enqueue({ id: 'one', in: '1h' });
    expect(await enqueue({ id: 'two', in: '2h' }, 'grace')).toMatchObject({ id: 'one', status: 'replaced' });
    expect(await task('one')).toMatchObject({ params: { user: 'grace' }, state: 'scheduled' });
    expect(await enqueue({ id: 'three' }, 'eve')).toMatchObject({ id: 'one', status: 'replaced' });
    await runs('one');
    expect(await enqueue({ id: 'four' })).toMatchObject({ status: 'rejected', holder: 'one' });
    await end('one');
    await quiet();
  });

  it('has a lock that ends by its time to live, and is then not freed by the first', async () => {
    const { enqueue, worker, queue, end, quiet, task } = await startCharges({
      ...{ lock: 'until_completed', ttl: '1s' },
    });
    await worker.catalog.pause(queue);
    await enqueue({ id: 'one', in: '200ms' });
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'one' });
    await eventually(async () => (await enqueue({ id: 'two', in: '1h' })).status === 'enqueued');
    await worker.catalog.resume(queue);
    await end('one');
    await eventually(async () => (await task('one'))?.state === 'succeeded');
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'two' });
    await worker.catalog.cancel({ queue, id: 'two' });
    await quiet();
  });

  it('keeps its lock when its process dies, and frees it when another has run it', async () => {
    const { enqueue, worker, queue, prefix, runs, end, task, quiet } = await startCharges({
      lock: 'until_executed',
    });
    await worker.runner.stop();
    await enqueue({ id: 'one' });
    const killed = redisBackend({ url });
    await killed.open({
      ...{ prefix, deadKeepMs: 60_000, cancelledKeepMs: 60_000, enqueueTimeoutMs: 5_000 },
    });
    const queues = [{ queue, limit: 1 }];
    const { tasks } = await killed.tasks.claim({ queues, limit: 1, leaseMs: 500, runner: 'killed' });
    await killed.close();
    expect(tasks.map(({ id }) => id)).toEqual(['one']);
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'one' });
    await worker.runner.start();
    await runs('one');
    expect(await task('one')).toMatchObject({ attempt: 2, failures: 1 });
    expect(await enqueue()).toMatchObject({ status: 'rejected', holder: 'one' });
    await end('one');
    await quiet();
  });
});

describe('On Redis the slots of a unique job', () => {
  it('make no task while one that was enqueued by hand holds the lock', async () => {
    const end = gate();
    const queue = `beats-${randomUUID()}`;
    @Periodic('300ms', { queue, unique: { lock: 'until_completed' }, overlap: 'queue' })
    class Beat {
      run(): Promise<void> {
        return end.opened;
      }
    }
    const options = { backend: url, prefix: newPrefix(), runner: { autoStart: false } };
    const { jobs, catalog, runner } = await startApp({ providers: [Beat], options, realTime: true });
    await jobs.enqueue(Beat, undefined, { id: 'by hand' });
    await runner.start();
    await eventually(async () => ((await catalog.schedule('Beat'))?.skipped ?? 0) >= 2);
    expect(await catalog.schedule('Beat')).toMatchObject({ fired: 0 });
    expect(await catalog.counts(queue)).toMatchObject({ pending: 1, waiting: 0, scheduled: 0 });
    expect(await catalog.runSchedule('Beat')).toBe('taken');
    end.open();
    await eventually(async () => ((await catalog.schedule('Beat'))?.fired ?? 0) > 0);
  });
});
