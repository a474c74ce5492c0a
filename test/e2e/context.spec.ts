import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { ContextError, InvalidOptionError, Job, JobHooks, Task, type ContextOptions } from 'nestjs-jobs';
import { settled, startApp } from '../support/app.js';
import { gate } from './fixtures/gate.js';

interface Request {
  readonly tenant: string;
}

/** An application that keeps its context in an `AsyncLocalStorage`. */
function stored() {
  const storage = new AsyncLocalStorage<Request>();
  const context: ContextOptions = {
    capture: () => storage.getStore(),
    restore: (value, next) => storage.run(value as Request, next),
  };
  const seen: string[] = [];
  const see = (where: string) => void seen.push(`${where}: ${storage.getStore()?.tenant ?? 'nobody'}`);
  return { storage, context, seen, see };
}

describe('The context of an enqueue', () => {
  it('is there again around hooks, handler and retry rules, in every attempt', async () => {
    const { storage, context, seen, see } = stored();
    @JobHooks()
    class ForAll {
      beforeRun = () => see('general beforeRun');
      afterRun = () => see('general afterRun');
    }
    @Job({ retries: 1 })
    class Work {
      beforeRun = () => see('beforeRun');
      async run(): Promise<void> {
        see('run');
        await Promise.resolve();
        see('run, later');
        throw new Error('no');
      }
      shouldRetry(): boolean {
        see('shouldRetry');
        return true;
      }
      async retryDelay(): Promise<number> {
        await Promise.resolve();
        see('retryDelay');
        return 1_000;
      }
      afterRun = () => see('afterRun');
    }
    const { jobs, advance } = await startApp({ options: { context }, providers: [Work, ForAll] });
    await storage.run({ tenant: 'acme' }, () => jobs.enqueue(Work));
    await advance(0);
    const attempt = [
      'general beforeRun',
      'beforeRun',
      'run',
      'run, later',
      'shouldRetry',
      'retryDelay',
      'afterRun',
      'general afterRun',
    ].map((where) => `${where}: acme`);
    expect(seen).toEqual(attempt);
    await advance(1_000);
    expect(seen.slice(attempt.length)).toEqual(
      attempt.filter((line) => !/shouldRetry|retryDelay/.test(line)),
    );
  });

  it('is one for the whole attempt: what a handler puts into it, its hook finds', async () => {
    const storage = new AsyncLocalStorage<{ notes: string[] }>();
    const context: ContextOptions = {
      capture: () => ({ notes: ['captured'] }),
      restore: (value, next) => storage.run(value as { notes: string[] }, next),
    };
    const found: string[][] = [];
    @Job()
    class Work {
      run(): void {
        storage.getStore()!.notes.push('by the handler');
      }
      afterRun(): void {
        found.push(storage.getStore()!.notes);
      }
    }
    const { jobs, advance } = await startApp({ options: { context }, providers: [Work] });
    await jobs.enqueue(Work);
    await advance(0);
    expect(found).toEqual([['captured', 'by the handler']]);
  });

  it('is there in what follows a timeout, too', async () => {
    const { storage, context, seen, see } = stored();
    @Job({ timeout: '1s', retries: 0 })
    class Work {
      run(): Promise<void> {
        return new Promise(() => undefined);
      }
      afterRun = () => see('afterRun');
    }
    const { jobs, advance } = await startApp({ options: { context }, providers: [Work] });
    await storage.run({ tenant: 'acme' }, () => jobs.enqueue(Work));
    await advance(1_000);
    expect(seen).toEqual(['afterRun: acme']);
  });

  it('is that of each call in a bulk, and of the call that puts a schedule', async () => {
    const { storage, context, seen, see } = stored();
    @Job()
    class Work {
      run(what: string): void {
        see(what);
      }
    }
    const { jobs, advance } = await startApp({ options: { context }, providers: [Work] });
    await jobs.bulk((bulk) => {
      for (const tenant of ['a', 'b']) storage.run({ tenant }, () => bulk.enqueue(Work, tenant));
      bulk.enqueue(Work, 'c');
    });
    await storage.run({ tenant: 'acme' }, () => jobs.enqueue(Work, 'slot', { every: '1m', retries: 1 }));
    await advance(120_000);
    expect(seen.toSorted()).toEqual(['a: a', 'b: b', 'c: nobody', 'slot: acme', 'slot: acme', 'slot: acme']);
  });

  it('travels beside what else a call says about the run', async () => {
    const { storage, context } = stored();
    @Job()
    class Work {
      run(_params: void, task: Task): void {
        task.fail('no');
      }
    }
    const { jobs, catalog, advance } = await startApp({ options: { context }, providers: [Work] });
    const { id } = await storage.run({ tenant: 'acme' }, () =>
      jobs.enqueue(Work, undefined, { retries: ['5s'], timeout: '1m' }),
    );
    const { extra } = (await catalog.task(id))!;
    expect(extra).toEqual({ backoff: ['5s'], timeoutMs: 60_000, context: { tenant: 'acme' } });
    await advance(0);
    expect(await catalog.task(id)).toMatchObject({ state: 'scheduled', attempt: 1 });
    await advance(5_000);
    expect(await catalog.task(id)).toMatchObject({ state: 'dead', attempt: 2 });
  });

  it('of nobody is restored as nothing, and no other attempt lends its own', async () => {
    const { storage, context, seen, see } = stored();
    const mayEnd = gate();
    @Job()
    class Work {
      async run(what: string): Promise<void> {
        see(what);
        await mayEnd.opened;
        see(what);
      }
    }
    const options = { context, runner: { concurrency: 2 } };
    const { jobs, advance } = await startApp({ options, providers: [Work] });
    await storage.run({ tenant: 'acme' }, () => jobs.enqueue(Work, 'first'));
    await jobs.enqueue(Work, 'second');
    await jobs.enqueue(Work, 'third');
    await advance(0);
    mayEnd.open();
    await advance(0);
    const expected = ['first: acme', 'second: nobody', 'third: nobody'];
    expect(seen.toSorted()).toEqual([...expected, ...expected].toSorted());
  });

  it('does not come along where nothing carries it: a task runs in the context of no request', async () => {
    const { storage, seen, see } = stored();
    @Job()
    class Work {
      run(): void {
        see('run');
      }
      afterRun = () => see('afterRun');
    }
    const { jobs, advance } = await startApp({ providers: [Work] });
    // Its runner has looked already: it is this enqueue that wakes it.
    await advance(0);
    await storage.run({ tenant: 'acme' }, async () => {
      await jobs.enqueue(Work);
      await settled();
    });
    await advance(0);
    expect(seen).toEqual(['run: nobody', 'afterRun: nobody']);
  });

  it('that a restore enters, instead of running in it, stays with its attempt', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const context: ContextOptions = {
      capture: () => storage.getStore(),
      restore: (value, next) => {
        if (value !== undefined) storage.enterWith(value as string);
        return next();
      },
    };
    @Job()
    class Work {
      run(): void {
        seen.push(storage.getStore());
      }
    }
    const { jobs, advance } = await startApp({ options: { context }, providers: [Work] });
    await storage.run('acme', () => jobs.enqueue(Work));
    await jobs.enqueue(Work);
    await advance(0);
    await jobs.enqueue(Work);
    await advance(0);
    expect(seen).toEqual(['acme', undefined, undefined]);
  });
});

describe('A context that cannot be captured', () => {
  const refused: [what: string, capture: () => unknown, says: string][] = [
    [
      'because that throws',
      () => {
        throw new Error('no request');
      },
      'Error: no request',
    ],
    [
      'because it is no JSON',
      () => ({ user: { at: new Map() } }),
      'a value of type Map would not arrive as sent',
    ],
    ['because it is a function', () => () => 1, 'a function would not arrive'],
    ['because it is a promise', () => Promise.resolve({}), 'it answered a promise'],
    ['because it is too long', () => ({ text: 'ü'.repeat(5_000) }), 'it takes 10011 bytes, but at most 8192'],
  ];
  it.each(refused)('rejects the enqueue %s, and nothing is stored', async (_what, capture, says) => {
    @Job()
    class Work {
      run(): void {}
    }
    const restore: ContextOptions['restore'] = (_value, next) => next();
    const { jobs, catalog } = await startApp({
      options: { context: { capture, restore }, runner: false },
      providers: [Work],
    });
    const enqueueing = jobs.enqueue(Work);
    await expect(enqueueing).rejects.toThrow(ContextError);
    await expect(enqueueing).rejects.toMatchObject({
      code: 'CONTEXT',
      job: 'Work',
      cause: expect.any(Error),
    });
    await expect(enqueueing).rejects.toThrow(says);
    await expect(jobs.bulk((bulk) => bulk.enqueue(Work))).rejects.toThrow(ContextError);
    await expect(jobs.enqueue(Work, undefined, { every: '1m' })).rejects.toThrow(ContextError);
    expect((await catalog.counts('default')).waiting).toBe(0);
    expect((await catalog.schedules()).schedules).toHaveLength(0);
  });
});

async function afterwards(next: () => unknown): Promise<unknown> {
  await Promise.resolve();
  return next();
}

describe('A context that cannot be restored', () => {
  const troubled: [what: string, restore: ContextOptions['restore'], says: string][] = [
    [
      'throws',
      () => {
        throw new Error('no such tenant');
      },
      'context.restore failed: Error: no such tenant',
    ],
    ['does not call next', () => undefined as never, 'context.restore has returned without calling next'],
    [
      'calls next too late',
      ((_value, next) => afterwards(next)) as ContextOptions['restore'],
      'context.restore has returned without calling next',
    ],
  ];
  it.each(troubled)(
    'fails the attempt where it %s, and the task is tried again',
    async (_what, restore, says) => {
      let isWell = false;
      const ran: number[] = [];
      @Job({ retries: [1_000] })
      class Work {
        run(_params: void, task: Task): void {
          ran.push(task.attempt);
        }
      }
      const context: ContextOptions = {
        capture: () => ({}),
        restore: (value, next) => (isWell ? next() : restore(value, next)),
      };
      const { jobs, catalog, advance } = await startApp({ options: { context }, providers: [Work] });
      const { id } = await jobs.enqueue(Work, undefined, { keep: '1h' });
      await advance(0);
      const failed = (await catalog.task(id))!;
      expect(failed).toMatchObject({ state: 'scheduled', failures: 1, errors: [{ name: 'ContextError' }] });
      expect(failed.errors[0]!.message).toBe(`Work: ${says}`);
      expect(ran).toEqual([]);
      isWell = true;
      await advance(1_000);
      expect(ran).toEqual([2]);
      expect((await catalog.task(id))!.state).toBe('succeeded');
    },
  );

  it.each([
    [
      'throws',
      <T>(_value: unknown, next: () => T): T => {
        next();
        throw new Error('late');
      },
    ],
    [
      'rejects',
      <T>(_value: unknown, next: () => T): T => {
        next();
        return Promise.reject(new Error('late')) as T;
      },
    ],
  ])('changes nothing where it %s after the run has begun, and the log says so', async (_what, restore) => {
    let runs = 0;
    @Job()
    class Work {
      async run(): Promise<string> {
        await Promise.resolve();
        return `run ${++runs}`;
      }
    }
    const { jobs, catalog, advance, lines } = await startApp({
      options: { context: { capture: () => 1, restore } },
      providers: [Work],
    });
    const { id } = await jobs.enqueue(Work, undefined, { keep: '1h' });
    await advance(0);
    expect(await catalog.task(id)).toMatchObject({ state: 'succeeded', result: 'run 1' });
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'context.restore failed after it had called next: Error: late',
    ]);
  });

  it('runs the handler once, however often it calls next', async () => {
    let runs = 0;
    @Job()
    class Work {
      run(): void {
        runs++;
      }
    }
    const restore: ContextOptions['restore'] = (_value, next) => (next(), next());
    const { jobs, advance } = await startApp({
      options: { context: { capture: () => 1, restore } },
      providers: [Work],
    });
    await jobs.enqueue(Work);
    await advance(0);
    expect(runs).toBe(1);
  });
});

describe('The option `context`', () => {
  it('is checked at the start', async () => {
    const refused = (context: unknown) => startApp({ options: { context: context as never } });
    await expect(refused({ capture: () => 1 })).rejects.toThrow(InvalidOptionError);
    await expect(refused({ capture: () => 1 })).rejects.toThrow(
      'context.restore is undefined, but must be a function',
    );
    await expect(refused({ capture: 'x', restore: () => 1 })).rejects.toThrow('context.capture is "x"');
    await expect(refused({ capture: () => 1, restore: () => 1, clear: 1 })).rejects.toThrow('context.clear');
    await expect(refused(7)).rejects.toThrow('context is 7, but must be an object');
  });
});
