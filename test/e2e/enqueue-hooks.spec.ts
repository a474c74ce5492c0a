import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope, type Type } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { IsInt } from 'class-validator';
import {
  Clock,
  EnqueueFailedError,
  EnqueueTimeoutError,
  InvalidJobError,
  Job,
  JobHooks,
  JobQueue,
  JobsError,
  memoryBackend,
  type Backend,
  type JobsOptions,
  type Task,
} from 'nestjs-jobs';
import { settled, startApp } from '../support/app.js';
import { VirtualClock } from '../support/virtual-clock.js';

type Add = Backend['tasks']['add'];

/** A memory backend of which one method is another. */
function backendWith(makeAdd: (add: Add) => Add): Backend {
  const inner = memoryBackend();
  const { tasks } = inner;
  return {
    ...inner,
    tasks: {
      add: makeAdd((groups) => tasks.add(groups)),
      claim: (request) => tasks.claim(request),
      settle: (settlements) => tasks.settle(settlements),
      renew: (leases, leaseMs) => tasks.renew(leases, leaseMs),
      annotate: (notes) => tasks.annotate(notes),
      unpark: (queue, definitions, after) => tasks.unpark(queue, definitions, after),
    },
  };
}

const refusing = () =>
  backendWith(() => async () => {
    throw new Error('connection refused');
  });
const hanging = () => backendWith(() => () => new Promise(() => {}));

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => new Error('it did not reject'),
    (error: unknown) => error,
  );

interface Behaviour {
  before?: (task: Task<number>) => void | boolean | Promise<void | boolean>;
  after?: () => void | Promise<void>;
}

/** An application with one job that notes its enqueue hooks; nothing runs. */
async function startHooked({ before, after }: Behaviour = {}, options: JobsOptions = {}) {
  const calls: unknown[] = [];
  @Job()
  class Pay {
    run(_amount: number) {}

    beforeEnqueue(task: Task<number>) {
      calls.push('before');
      return before?.(task);
    }

    afterEnqueue(success: boolean, { params }: Task<number>) {
      calls.push([success, params]);
      return after?.();
    }
  }
  const runner = { autoStart: false };
  const test = await startApp({ options: { runner, ...options }, providers: [Pay] });
  const waiting = async () => (await test.catalog.counts('default')).waiting;
  return { ...test, Pay, calls, waiting };
}

describe('beforeEnqueue', () => {
  it('sees the task as it is about to be stored', async () => {
    class Amount {
      @IsInt() n: number = 1;
    }
    let seen: Task<Amount> | undefined;
    @Job({ params: Amount, name: 'pay', queue: 'money' })
    class Pay {
      run(_amount: Amount) {}
      beforeEnqueue(task: Task<Amount>) {
        seen = task;
      }
    }
    const { jobs } = await startApp({ providers: [Pay] });
    const { id } = await jobs.enqueue(Pay, {} as Amount, { in: '1m', priority: 3 });
    const now = Date.UTC(2030, 0, 1);
    expect(seen).toMatchObject({ id, job: 'pay', queue: 'money', priority: 3, attempt: 0, failures: 0 });
    expect(seen!.params).toEqual(Object.assign(new Amount(), { n: 1 }));
    expect(seen!.params).toBeInstanceOf(Amount);
    expect(seen!.enqueuedAt).toEqual(new Date(now));
    expect(seen!.dueAt).toEqual(new Date(now + 60_000));
    expect(seen!.willRetry).toBe(false);
  });

  it.each([
    ['false', () => false],
    ['a promise of false', async () => false],
  ])('vetoes by %s: nothing is stored, and the caller learns it', async (_, before) => {
    const { jobs, Pay, calls, waiting } = await startHooked({ before });
    expect(await jobs.enqueue(Pay, 1, { id: 'x' })).toEqual({
      id: 'x',
      queue: 'default',
      status: 'vetoed',
    });
    expect(calls).toEqual(['before', [false, 1]]);
    expect(await waiting()).toBe(0);
  });

  it.each([
    ['undefined', () => undefined],
    ['true', () => true],
    ['a promise of nothing', async () => {}],
  ])('lets pass by %s', async (_, before) => {
    const { jobs, Pay, waiting } = await startHooked({ before });
    expect(await jobs.enqueue(Pay, 1)).toMatchObject({ status: 'enqueued' });
    expect(await waiting()).toBe(1);
  });

  it('that throws rejects the enqueue with its error, and nothing is stored', async () => {
    const { jobs, Pay, calls, waiting } = await startHooked({
      before: () => {
        throw new RangeError('no credit');
      },
    });
    expect(await failureOf(jobs.enqueue(Pay, 1))).toEqual(new RangeError('no credit'));
    expect(calls).toEqual(['before', [false, 1]]);
    expect(await waiting()).toBe(0);
  });

  it('is not asked about params or options that are wrong', async () => {
    const { jobs, Pay, calls } = await startHooked();
    await failureOf(jobs.enqueue(Pay, NaN));
    await failureOf(jobs.enqueue(Pay, 1, { in: 'x' }));
    expect(calls).toEqual([]);
  });

  it('cannot change what is stored', async () => {
    const seen: unknown[] = [];
    @Job()
    class Tag {
      run(params: { tag: string }) {
        seen.push(params.tag);
      }
      beforeEnqueue({ params }: Task<{ tag: string }>) {
        params.tag = 'changed';
      }
    }
    const { jobs, advance } = await startApp({ providers: [Tag] });
    const params = { tag: 'sent' };
    await jobs.enqueue(Tag, params);
    await advance(0);
    expect([seen, params]).toEqual([['sent'], { tag: 'sent' }]);
  });
});

describe('afterEnqueue', () => {
  it('learns whether this call stored the task', async () => {
    const { jobs, Pay, calls } = await startHooked();
    await jobs.enqueue(Pay, 1, { id: 'x' });
    await jobs.enqueue(Pay, 2, { id: 'x' });
    await jobs.enqueue(Pay, 3, { id: 'x', replace: true });
    expect(calls.filter((call) => call !== 'before')).toEqual([
      [true, 1],
      [false, 2],
      [true, 3],
    ]);
  });

  it('has ended when the enqueue resolves', async () => {
    let isDone = false;
    const { jobs, Pay } = await startHooked({
      after: async () => {
        await settled();
        isDone = true;
      },
    });
    await jobs.enqueue(Pay, 1);
    expect(isDone).toBe(true);
  });

  it.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new RangeError('after all');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('after all'))],
  ])('that %s is logged under the name of the job and changes nothing', async (_, after) => {
    const { jobs, Pay, lines, waiting } = await startHooked({ after });
    const { id, status } = await jobs.enqueue(Pay, 1);
    expect(status).toBe('enqueued');
    expect(await waiting()).toBe(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        context: 'Pay',
        message: expect.stringMatching(`${id}.*afterEnqueue.*RangeError: after all`),
      },
    ]);
  });

  it('that throws does not hide why the enqueue failed', async () => {
    const { jobs, Pay } = await startHooked(
      {
        after: () => {
          throw new Error('after all');
        },
      },
      { backend: refusing() },
    );
    expect(await failureOf(jobs.enqueue(Pay, 1))).toBeInstanceOf(EnqueueFailedError);
  });
});

describe('A store that fails', () => {
  it('rejects the enqueue with a typed error, its cause and the id; hooks learn it', async () => {
    const { jobs, Pay, calls } = await startHooked({}, { backend: refusing() });
    const error = await failureOf(jobs.enqueue(Pay, 1, { id: 'x' }));
    expect(error).toBeInstanceOf(EnqueueFailedError);
    expect(error).toMatchObject({ code: 'ENQUEUE_FAILED', job: 'Pay', id: 'x' });
    expect((error as Error).message).toMatch(/Pay.*x.*connection refused/);
    expect((error as Error).cause).toEqual(new Error('connection refused'));
    expect(calls).toEqual(['before', [false, 1]]);
  });

  it('that throws instead of rejecting makes no difference', async () => {
    const backend = backendWith(() => () => {
      throw new Error('at once');
    });
    const { jobs, Pay } = await startHooked({}, { backend });
    expect(await failureOf(jobs.enqueue(Pay, 1))).toBeInstanceOf(EnqueueFailedError);
  });

  it('rejects every call of the moment, each with its own id, and the next one may succeed', async () => {
    let isUp = false;
    const backend = backendWith((add) => async (groups) => {
      if (!isUp) throw new Error('down');
      return add(groups);
    });
    const { jobs, Pay, waiting } = await startHooked({}, { backend });
    const ids = ['a', 'b', 'c'];
    const errors = await Promise.all(ids.map((id) => failureOf(jobs.enqueue(Pay, 1, { id }))));
    expect(errors).toMatchObject(ids.map((id) => ({ code: 'ENQUEUE_FAILED', id })));
    isUp = true;
    expect(await jobs.enqueue(Pay, 1)).toMatchObject({ status: 'enqueued' });
    expect(await waiting()).toBe(1);
  });

  it('rejects a bulk as a whole', async () => {
    const { jobs, Pay, calls } = await startHooked({}, { backend: refusing() });
    const work = jobs.bulk((bulk) => {
      bulk.enqueue(Pay, 1);
      bulk.enqueue(Pay, 2);
    });
    expect(await failureOf(work)).toMatchObject({ code: 'ENQUEUE_FAILED', job: 'Pay' });
    expect(calls).toEqual(['before', 'before', [false, 1], [false, 2]]);
  });

  it('is waited for as long as enqueueTimeout says, by default 5 s', async () => {
    for (const [options, limit] of [
      [{}, 5_000],
      [{ enqueueTimeout: '1m' }, 60_000],
    ] as const) {
      const { jobs, Pay, calls, advance } = await startHooked({}, { ...options, backend: hanging() });
      let error: unknown;
      void failureOf(jobs.enqueue(Pay, 1, { id: 'x' })).then((failure) => (error = failure));
      await advance(limit - 1);
      expect(error).toBeUndefined();
      await advance(1);
      expect(error).toBeInstanceOf(EnqueueTimeoutError);
      expect(error).toBeInstanceOf(EnqueueFailedError);
      expect(error).toMatchObject({ code: 'ENQUEUE_TIMEOUT', job: 'Pay', id: 'x', sent: true });
      expect(calls).toEqual(['before', [false, 1]]);
    }
  });

  it('names the id it made, so that a repeat with it makes no second task', async () => {
    let isSilent = true;
    const backend = backendWith((add) => async (groups) => {
      const added = await add(groups);
      return isSilent ? new Promise(() => {}) : added;
    });
    const { jobs, Pay, waiting, advance } = await startHooked({}, { backend });
    const failing = failureOf(jobs.enqueue(Pay, 1));
    await advance(5_000);
    const { id } = (await failing) as EnqueueTimeoutError;
    expect(id).toHaveLength(22);
    isSilent = false;
    expect(await jobs.enqueue(Pay, 1, { id })).toMatchObject({ id, status: 'existing' });
    expect(await waiting()).toBe(1);
  });

  it('that answers after the timeout harms nobody', async () => {
    let answer = (): void => {};
    const backend = backendWith((add) => async (groups) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return add(groups);
    });
    const { jobs, Pay, waiting, advance } = await startHooked({}, { backend });
    const failing = failureOf(jobs.enqueue(Pay, 1));
    await advance(5_000);
    expect(await failing).toBeInstanceOf(EnqueueTimeoutError);
    answer();
    await settled();
    expect(await waiting()).toBe(1);
  });

  it('that is silent while the application closes leaves no timer behind, and the caller an answer', async () => {
    const timers = new Set<object>();
    class CountingClock extends VirtualClock {
      override after(delayMs: number, wake: () => void) {
        const timer = super.after(delayMs, () => {
          timers.delete(timer);
          wake();
        });
        timers.add(timer);
        return { cancel: () => (timers.delete(timer), timer.cancel()) };
      }
    }
    @Job()
    class Pay {
      run() {}
    }
    const { app, jobs } = await startApp({
      providers: [Pay],
      options: { backend: hanging() },
      override: (builder) => builder.overrideProvider(Clock).useValue(new CountingClock()),
    });
    let error: unknown;
    void failureOf(jobs.enqueue(Pay)).then((failure) => (error = failure));
    await settled();
    expect(timers.size).toBeGreaterThan(0);
    await app.close();
    await settled();
    expect(timers.size).toBe(0);
    expect(error).toBeInstanceOf(JobsError);
  });

  it('sends what is enqueued in one moment together, and answers each call for itself', async () => {
    const sent: number[] = [];
    const backend = backendWith((add) => (groups) => {
      sent.push(groups.length);
      return add(groups);
    });
    @Job()
    class Pay {
      run(_amount: number) {}
    }
    const options = { backend, runner: { autoStart: false } };
    const { jobs } = await startApp({ options, providers: [Pay] });
    const results = await Promise.all(['a', 'b', 'a'].map((id) => jobs.enqueue(Pay, 1, { id })));
    expect(sent).toEqual([3]);
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'enqueued'],
      ['b', 'enqueued'],
      ['a', 'existing'],
    ]);
  });
});

describe('@JobHooks()', () => {
  function hooksNoting(name: string, calls: string[], veto = false): Type {
    @JobHooks()
    class General {
      beforeEnqueue({ job }: Task) {
        calls.push(`${name} before ${job}`);
        return !veto;
      }
      afterEnqueue(success: boolean, { job }: Task) {
        calls.push(`${name} after ${job} ${success}`);
      }
    }
    return General;
  }

  function jobsNoting(calls: string[]) {
    @Job()
    class Own {
      run() {}
      beforeEnqueue() {
        calls.push('own before');
      }
      afterEnqueue(success: boolean) {
        calls.push(`own after ${success}`);
      }
    }
    @Job()
    class Bare {
      run() {}
    }
    return { Own, Bare };
  }

  it('are called for all jobs, and frame the hooks of the job', async () => {
    const calls: string[] = [];
    const { Own, Bare } = jobsNoting(calls);
    const providers = [Own, Bare, hooksNoting('first', calls), hooksNoting('second', calls)];
    const { jobs } = await startApp({ providers, options: { runner: { autoStart: false } } });
    await jobs.enqueue(Own);
    expect(calls.splice(0)).toEqual([
      ...['first before Own', 'second before Own', 'own before'],
      ...['own after true', 'second after Own true', 'first after Own true'],
    ]);
    await jobs.enqueue(Bare);
    expect(calls).toEqual([
      ...['first before Bare', 'second before Bare'],
      ...['second after Bare true', 'first after Bare true'],
    ]);
  });

  it('can veto for any job; the hooks behind are not asked', async () => {
    const calls: string[] = [];
    const { Own } = jobsNoting(calls);
    const providers = [Own, hooksNoting('first', calls, true), hooksNoting('second', calls)];
    const { jobs } = await startApp({ providers });
    expect(await jobs.enqueue(Own)).toMatchObject({ status: 'vetoed' });
    expect(calls.filter((call) => call.includes('before'))).toEqual(['first before Own']);
  });

  it('are called for jobs that only other processes provide', async () => {
    const calls: string[] = [];
    const { Bare } = jobsNoting(calls);
    const providers = [hooksNoting('first', calls)];
    const { jobs } = await startApp({ providers, options: { runner: false } });
    await jobs.enqueue(Bare);
    expect(calls).toEqual(['first before Bare', 'first after Bare true']);
  });

  it('of a class that throws are logged, and the others are called all the same', async () => {
    const calls: string[] = [];
    @JobHooks()
    class Broken {
      afterEnqueue() {
        throw new Error('broken');
      }
    }
    const { Own } = jobsNoting(calls);
    const providers = [Own, hooksNoting('first', calls), Broken];
    const { jobs, lines } = await startApp({ providers, options: { runner: { autoStart: false } } });
    expect(await jobs.enqueue(Own)).toMatchObject({ status: 'enqueued' });
    expect(calls.slice(-2)).toEqual(['own after true', 'first after Own true']);
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('listed in two modules are called once, with what they inject', async () => {
    const calls: string[] = [];
    @Injectable()
    class Journal {
      note(line: string) {
        calls.push(line);
      }
    }
    @JobHooks()
    class Audit {
      constructor(private readonly journal: Journal) {}
      beforeEnqueue({ job }: Task) {
        this.journal.note(job);
      }
    }
    class Other {}
    const { Bare } = jobsNoting(calls);
    const other = { module: Other, providers: [Audit, Journal] };
    const { jobs } = await startApp({ providers: [Bare, Audit, Journal], imports: [other] });
    await jobs.enqueue(Bare);
    expect(calls).toEqual(['Bare']);
  });

  it('that depend on a request stop the boot, by the name of the class', async () => {
    @JobHooks()
    class PerRequest {
      constructor(@Inject(REQUEST) readonly request: unknown) {}
      beforeEnqueue() {}
    }
    const error = await failureOf(startApp({ providers: [PerRequest] }));
    expect(error).toBeInstanceOf(InvalidJobError);
    expect((error as Error).message).toMatch(/^PerRequest: /);
  });
});

describe('A request-scoped job', () => {
  it('is made for its enqueue hooks with the task as REQUEST, and again for its run', async () => {
    const seen: string[] = [];
    let made = 0;
    @Job({ scope: Scope.REQUEST })
    class Pay {
      private readonly number = ++made;
      constructor(@Inject(REQUEST) private readonly request: Task<number>) {}
      beforeEnqueue(task: Task<number>) {
        seen.push(`before ${this.number} ${this.request === task} ${task.params}`);
      }
      afterEnqueue(_success: boolean, task: Task<number>) {
        seen.push(`after ${this.number} ${this.request === task} ${task.params}`);
      }
      run(amount: number, task: Task<number>) {
        seen.push(`run ${this.number} ${this.request === task} ${amount}`);
      }
    }
    const { jobs, advance } = await startApp({ providers: [Pay] });
    await jobs.enqueue(Pay, 7, { in: 1 });
    await jobs.enqueue(Pay, 8, { in: 2 });
    await advance(2);
    expect(seen).toEqual([
      ...['before 1 true 7', 'after 1 true 7', 'before 2 true 8', 'after 2 true 8'],
      ...['run 3 true 7', 'run 4 true 8'],
    ]);
  });

  it('that cannot be made rejects the enqueue whose hooks need it', async () => {
    @Job({ scope: Scope.REQUEST })
    class Pay {
      constructor() {
        throw new RangeError('no money');
      }
      beforeEnqueue() {}
      run() {}
    }
    const { jobs, catalog } = await startApp({ providers: [Pay] });
    expect(await failureOf(jobs.enqueue(Pay))).toEqual(new RangeError('no money'));
    expect(await catalog.counts('default')).toMatchObject({ waiting: 0 });
  });
});

describe('Enqueueing from inside', () => {
  it('a hook works, before and after, and so does a handler', async () => {
    const seen: string[] = [];
    @Job()
    class Last {
      run(from: string) {
        seen.push(`last, from ${from}`);
      }
    }
    @Job()
    class First {
      constructor(private readonly jobs: JobQueue) {}
      async beforeEnqueue() {
        await this.jobs.enqueue(Last, 'beforeEnqueue');
      }
      async afterEnqueue() {
        await this.jobs.enqueue(Last, 'afterEnqueue');
      }
      async run() {
        await this.jobs.enqueue(Last, 'run');
        await this.jobs.bulk((bulk) => bulk.enqueue(Last, 'bulk'));
      }
      async beforeRun() {
        await this.jobs.enqueue(Last, 'beforeRun');
      }
      async afterRun() {
        await this.jobs.enqueue(Last, 'afterRun');
      }
    }
    const { jobs, advance } = await startApp({ providers: [First, Last] });
    await jobs.enqueue(First);
    await advance(0);
    expect(seen.toSorted()).toEqual(
      ['afterEnqueue', 'afterRun', 'beforeEnqueue', 'beforeRun', 'bulk', 'run'].map(
        (from) => `last, from ${from}`,
      ),
    );
  });

  it('a bulk block is a call of its own: it stays though the bulk fails', async () => {
    const { jobs, Pay, waiting } = await startHooked();
    await failureOf(
      jobs.bulk(async (bulk) => {
        bulk.enqueue(Pay, 1);
        await jobs.enqueue(Pay, 2);
        throw new Error('no');
      }),
    );
    expect(await waiting()).toBe(1);
  });
});
