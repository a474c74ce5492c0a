import { describe, expect, it } from '@jest/globals';
import { IsInt } from 'class-validator';
import {
  BulkError,
  InvalidOptionError,
  InvalidParamsError,
  Job,
  JobHooks,
  JobNotProvidedError,
  type Bulk,
  type EnqueueOptions,
  type JobsOptions,
  type Task,
} from 'nestjs-jobs';
import { settled, startApp } from '../support/app.js';

class Amount {
  @IsInt() n!: number;
}

async function start(options: JobsOptions = {}) {
  const seen: unknown[] = [];
  @Job()
  class Note {
    run(params: unknown) {
      seen.push(params);
    }
  }
  @Job({ params: Amount, queue: 'sums' })
  class Add {
    run({ n }: Amount) {
      seen.push(n);
    }
  }
  const runner = { concurrency: 1, autoStart: false };
  const test = await startApp({ options: { runner, ...options }, providers: [Note, Add] });
  const stored = async () => {
    const { waiting, scheduled } = await test.catalog.counts();
    return waiting + scheduled;
  };
  return { ...test, Note, Add, seen, stored };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => new Error('it did not reject'),
    (error: unknown) => error,
  );

describe('A bulk', () => {
  it('stores what its block enqueues, in order, and answers in that order', async () => {
    const { jobs, Note, Add, runner, seen } = await start();
    const results = await jobs.bulk((bulk) => {
      bulk.enqueue(Note, 'a', { id: 'a' });
      bulk.enqueue(Add, { n: 1 }, { id: 'b' });
      bulk.enqueue(Note, 'c', { id: 'c' });
      bulk.enqueue(Note, 'd', { id: 'd', priority: -1 });
    });
    expect(results).toEqual([
      { id: 'a', queue: 'default', status: 'enqueued' },
      { id: 'b', queue: 'sums', status: 'enqueued' },
      { id: 'c', queue: 'default', status: 'enqueued' },
      { id: 'd', queue: 'default', status: 'enqueued' },
    ]);
    await runner.start();
    await settled();
    expect(seen.filter((value) => value !== 1)).toEqual(['d', 'a', 'c']);
    expect(seen).toContain(1);
  });

  it('writes nothing before its block has ended', async () => {
    const { jobs, Note, stored } = await start();
    let during: number | undefined;
    await jobs.bulk(async (bulk) => {
      bulk.enqueue(Note, 1);
      await settled();
      during = await stored();
      bulk.enqueue(Note, 2);
    });
    expect(during).toBe(0);
    expect(await stored()).toBe(2);
  });

  it('of nothing is nothing', async () => {
    const { jobs } = await start();
    expect(await jobs.bulk(() => {})).toEqual([]);
  });

  it('wakes a runner that waits, in each of its queues', async () => {
    const { jobs, Note, Add, seen } = await start({ runner: {} });
    await settled();
    await jobs.bulk((bulk) => {
      bulk.enqueue(Note, 'a');
      bulk.enqueue(Add, { n: 1 });
    });
    await settled();
    expect(seen.toSorted()).toEqual([1, 'a']);
  });

  it.each<[string, (bulk: Bulk) => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new RangeError('no');
      },
    ],
    [
      'rejects after a while',
      async () => {
        await settled();
        throw new RangeError('no');
      },
    ],
  ])('stores nothing where its block %s, and rejects with that error', async (_, end) => {
    const { jobs, Note, stored } = await start();
    const work = jobs.bulk((bulk) => {
      bulk.enqueue(Note, 1);
      return end(bulk);
    });
    expect(await failureOf(work)).toEqual(new RangeError('no'));
    await settled();
    expect(await stored()).toBe(0);
  });

  it('stores nothing where the params or the options of one task are wrong', async () => {
    const { jobs, Note, Add, stored } = await start();
    const withLast = (last: (bulk: Bulk) => void) =>
      failureOf(
        jobs.bulk((bulk) => {
          bulk.enqueue(Note, 1);
          last(bulk);
        }),
      );
    expect(await withLast((bulk) => bulk.enqueue(Add, { n: 1.5 }))).toBeInstanceOf(InvalidParamsError);
    expect(await withLast((bulk) => bulk.enqueue(Note, () => 1))).toBeInstanceOf(InvalidParamsError);
    expect(await withLast((bulk) => bulk.enqueue(Note, 1, { in: 'x' }))).toBeInstanceOf(InvalidOptionError);
    expect(await withLast((bulk) => bulk.enqueue(Note, 1, { every: '1m' }))).toBeInstanceOf(BulkError);
    @Job()
    class Stray {
      run() {}
    }
    expect(await withLast((bulk) => bulk.enqueue(Stray))).toBeInstanceOf(JobNotProvidedError);
    expect(await stored()).toBe(0);
  });

  it('counts an id that is taken as a result, also by a task of the same bulk, and stores the rest', async () => {
    const { jobs, Note, catalog } = await start();
    await jobs.enqueue(Note, 'before', { id: 'old' });
    const results = await jobs.bulk((bulk) => {
      bulk.enqueue(Note, 1, { id: 'old' });
      bulk.enqueue(Note, 2, { id: 'new' });
      bulk.enqueue(Note, 3, { id: 'new' });
      bulk.enqueue(Note, 4, { id: 'new', replace: true });
      bulk.enqueue(Note, 5);
    });
    expect(results.map(({ status }) => status)).toEqual([
      'existing',
      'enqueued',
      'existing',
      'replaced',
      'enqueued',
    ]);
    expect(await catalog.task('old')).toMatchObject({ params: 'before' });
    expect(await catalog.task('new')).toMatchObject({ params: 4 });
    expect(await catalog.counts('default')).toMatchObject({ waiting: 3 });
  });

  it('takes params as they are when they are enqueued: one object may be used for many tasks', async () => {
    const { jobs, Note, catalog } = await start();
    const params = { n: 0 };
    const options: EnqueueOptions = {};
    await jobs.bulk((bulk) => {
      for (params.n = 1; params.n <= 3; params.n++) {
        options.priority = params.n;
        bulk.enqueue(Note, params, options);
      }
    });
    expect((await catalog.tasks({ state: 'waiting' })).tasks).toMatchObject([
      { params: { n: 1 }, priority: 1 },
      { params: { n: 2 }, priority: 2 },
      { params: { n: 3 }, priority: 3 },
    ]);
  });

  it('holds 50,000 tasks and not one more', async () => {
    const { jobs, Note, catalog } = await start();
    const fill = (count: number) =>
      jobs.bulk((bulk) => {
        for (let n = 0; n < count; n++) bulk.enqueue(Note, n);
      });
    const error = await failureOf(fill(50_001));
    expect(error).toBeInstanceOf(BulkError);
    expect(error).toMatchObject({ code: 'BULK', message: expect.stringMatching(/Note.*50000/) });
    expect(await catalog.counts('default')).toMatchObject({ waiting: 0 });

    const results = await fill(50_000);
    expect(new Set(results.map(({ id }) => id)).size).toBe(50_000);
    expect(await catalog.counts('default')).toMatchObject({ waiting: 50_000 });
  });

  it('cannot be used after its block has ended, whether well or not', async () => {
    const { jobs, Note, stored } = await start();
    const kept: Bulk[] = [];
    await jobs.bulk((bulk) => void kept.push(bulk));
    await failureOf(
      jobs.bulk((bulk) => {
        kept.push(bulk);
        throw new Error('no');
      }),
    );
    for (const bulk of kept) expect(() => bulk.enqueue(Note, 1)).toThrow(BulkError);
    await settled();
    expect(await stored()).toBe(0);
  });
});

describe('A bulk of jobs with enqueue hooks', () => {
  async function startHooked() {
    const calls: string[] = [];
    @JobHooks()
    class Audit {
      afterEnqueue(success: boolean, task: Task) {
        calls.push(`${task.id} ${success}`);
      }
    }
    @Job()
    class Pay {
      run(_amount: number) {}
      beforeEnqueue({ id, params }: Task<number>) {
        calls.push(`${id} before`);
        if (params === 13) throw new RangeError('unlucky');
        return params > 0;
      }
    }
    const options = { runner: { autoStart: false } };
    return { ...(await startApp({ options, providers: [Audit, Pay] })), calls, Pay };
  }

  it('counts a veto as a result and stores the rest', async () => {
    const { jobs, catalog, calls, Pay } = await startHooked();
    const results = await jobs.bulk((bulk) => {
      bulk.enqueue(Pay, 1, { id: 'a' });
      bulk.enqueue(Pay, -1, { id: 'b' });
      bulk.enqueue(Pay, 2, { id: 'a' });
      bulk.enqueue(Pay, 3, { id: 'c' });
    });
    expect(results).toEqual([
      { id: 'a', queue: 'default', status: 'enqueued' },
      { id: 'b', queue: 'default', status: 'vetoed' },
      { id: 'a', queue: 'default', status: 'existing' },
      { id: 'c', queue: 'default', status: 'enqueued' },
    ]);
    expect(await catalog.counts('default')).toMatchObject({ waiting: 2 });
    expect(calls).toEqual([
      ...['a before', 'b before', 'a before', 'c before'],
      ...['a true', 'b false', 'a false', 'c true'],
    ]);
  });

  it('stores nothing where a hook throws, and tells those that were asked', async () => {
    const { jobs, catalog, calls, Pay } = await startHooked();
    const work = jobs.bulk((bulk) => {
      bulk.enqueue(Pay, 1, { id: 'a' });
      bulk.enqueue(Pay, 13, { id: 'b' });
      bulk.enqueue(Pay, 2, { id: 'c' });
    });
    expect(await failureOf(work)).toEqual(new RangeError('unlucky'));
    expect(await catalog.counts('default')).toMatchObject({ waiting: 0 });
    expect(calls).toEqual(['a before', 'b before', 'a false', 'b false']);
  });

  it('stores nothing where all are vetoed, and says so', async () => {
    const { jobs, catalog, Pay } = await startHooked();
    const results = await jobs.bulk((bulk) => {
      bulk.enqueue(Pay, 0);
      bulk.enqueue(Pay, -1);
    });
    expect(results.map(({ status }) => status)).toEqual(['vetoed', 'vetoed']);
    expect(await catalog.counts('default')).toMatchObject({ waiting: 0 });
  });
});
