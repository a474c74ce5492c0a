import { describe, expect, it } from '@jest/globals';
import { IsInt, IsString } from 'class-validator';
import {
  Job,
  JobHooks,
  LockConflictError,
  type EnqueueOptions,
  type Task,
  type UniqueOptions,
} from 'nestjs-jobs';
import { gate } from './fixtures/gate.js';
import { start, type StartOptions } from './fixtures/start.js';

const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;

class ChargeParams {
  @IsString() user!: string;
  @IsInt() cents: number = 100;
}

/** A unique job whose runs do what the test says; by default it is run by nobody. */
async function startCharges(unique: UniqueOptions, { options, ...more }: StartOptions = {}) {
  const ran: (ChargeParams & { id: string })[] = [];
  let act: (task: Task) => unknown = () => undefined;
  @Job({ params: ChargeParams, unique, backoff: '1m' })
  class Charge {
    run({ user, cents }: ChargeParams, task: Task): unknown {
      ran.push({ id: task.id, user, cents });
      return act(task);
    }
  }
  const app = await start({
    ...more,
    options: { runner: { autoStart: false }, ...(options || {}) },
    providers: [Charge, ...(more.providers ?? [])],
  });
  const ada = (call?: EnqueueOptions, cents = 100) => app.jobs.enqueue(Charge, { user: 'ada', cents }, call);
  const task = (id: string) => app.catalog.task({ queue: 'default', id });
  const begin = async (what = act): Promise<void> => {
    act = what;
    await app.runner.start();
    await app.advance(0);
  };
  return { app, Charge, ran, ada, task, begin };
}

describe('An enqueue that meets a held lock', () => {
  it('answers that it is rejected and by whom, and stores nothing', async () => {
    const { app, ada, ran, begin } = await startCharges({ lock: 'until_completed' });
    const first = await ada();
    expect(first).toEqual({ id: expect.any(String), queue: 'default', status: 'enqueued' });
    const second = await ada();
    expect(second).toEqual({
      id: expect.any(String),
      queue: 'default',
      status: 'rejected',
      holder: first.id,
    });
    expect(second.id).not.toBe(first.id);
    expect(await app.catalog.task(second.id)).toBeUndefined();
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 1, scheduled: 0 });
    await begin();
    expect(ran).toHaveLength(1);
  });

  it('rejects with both ids where it is to raise, and stores nothing', async () => {
    const { app, ada } = await startCharges({ lock: 'until_executing', onConflict: 'raise' });
    await ada({ id: 'first' });
    const error = await ada({ id: 'second' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LockConflictError);
    expect(error).toMatchObject({ code: 'LOCK_CONFLICT', job: 'Charge', id: 'second', holder: 'first' });
    expect((error as Error).message).toBe('Charge: task second is not unique: task first holds the lock');
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 1 });
  });

  it('gives a holder that has not started the newest params and options, where it is to replace', async () => {
    const unique = { lock: 'until_completed', onConflict: 'replace', by: ['user'] } as const;
    const { app, ada, task, ran, begin } = await startCharges(unique);
    await ada({ id: 'first', in: '1h', priority: 5 }, 1);
    const answer = await ada({ id: 'second', in: '2h', retries: 0, keep: '1h' }, 2);
    expect(answer).toEqual({ id: 'first', queue: 'default', status: 'replaced' });
    expect(await task('first')).toMatchObject({
      ...{ params: { user: 'ada', cents: 2 }, state: 'scheduled', priority: 0, retries: 0 },
      dueAt: new Date(app.now() + 2 * hour),
    });
    expect(await ada({ id: 'third' }, 3)).toEqual({ id: 'first', queue: 'default', status: 'replaced' });
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 1, scheduled: 0 });
    const end = gate();
    await begin(() => end.opened);
    expect(ran).toEqual([{ id: 'first', user: 'ada', cents: 3 }]);
    expect(await ada({ id: 'fourth' }, 4)).toMatchObject({ status: 'rejected', holder: 'first' });
    end.open();
    await app.advance(0);
    expect(await ada({ id: 'fifth' }, 5)).toMatchObject({ id: 'fifth', status: 'enqueued' });
  });

  it('may choose its own answer: the conflict is that of the one who comes', async () => {
    const { ada } = await startCharges({ lock: 'until_completed' });
    await ada({ id: 'first' });
    await expect(ada({ id: 'x', unique: { onConflict: 'raise' } })).rejects.toThrow(LockConflictError);
    expect(await ada({ id: 'x', unique: { onConflict: 'replace' } })).toMatchObject({ status: 'replaced' });
    expect(await ada({ id: 'x' })).toMatchObject({ status: 'rejected' });
  });

  it('is not looked at where the call says that its task is not unique, and that task holds nothing', async () => {
    const { ada, task } = await startCharges({ lock: 'until_completed' });
    expect(await ada({ id: 'plain', unique: false })).toMatchObject({ status: 'enqueued' });
    expect((await task('plain'))?.lock).toBeUndefined();
    expect(await ada({ id: 'first' })).toMatchObject({ status: 'enqueued' });
    expect(await ada({ id: 'other', unique: false })).toMatchObject({ status: 'enqueued' });
  });

  it('may be of a job that is unique only by the call', async () => {
    @Job()
    class Plain {
      run(): void {}
    }
    const app = await start({ providers: [Plain], options: { runner: false } });
    const unique = { lock: 'until_executed' } as const;
    expect(await app.jobs.enqueue(Plain, undefined, { unique })).toMatchObject({ status: 'enqueued' });
    expect(await app.jobs.enqueue(Plain, undefined, { unique })).toMatchObject({ status: 'rejected' });
    expect(await app.jobs.enqueue(Plain)).toMatchObject({ status: 'enqueued' });
  });

  it('is one of many at once: of a hundred callers one gets in, and all others learn who', async () => {
    const { ada } = await startCharges({ lock: 'until_completed' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => ada()));
    const [winner, ...none] = answers.filter(({ status }) => status === 'enqueued');
    expect(none).toEqual([]);
    const others = answers.filter(({ status }) => status === 'rejected');
    expect(others.map(({ holder }) => holder)).toEqual(Array(99).fill(winner!.id));
  });

  it('tells afterEnqueue that the task was not stored, or which one was: the holder that gave way', async () => {
    const told: string[] = [];
    @JobHooks()
    class Told {
      afterEnqueue(success: boolean, { id }: Task): void {
        told.push(`${id} ${success}`);
      }
    }
    const { ada } = await startCharges({ lock: 'until_completed', by: ['user'] }, { providers: [Told] });
    await ada({ id: 'first' });
    await ada({ id: 'second' });
    await ada({ id: 'third', unique: { onConflict: 'raise' } }).catch(() => undefined);
    await ada({ id: 'fourth', unique: { onConflict: 'replace' } });
    expect(told).toEqual(['first true', 'second false', 'third false', 'first true']);
  });
});

describe('The params of a unique task', () => {
  it('are compared with their defaults, in any order', async () => {
    const { app, Charge } = await startCharges({ lock: 'until_completed' });
    const { id } = await app.jobs.enqueue(Charge, { user: 'ada' } as ChargeParams);
    const same = [
      { user: 'ada', cents: 100 },
      { cents: 100, user: 'ada' },
      { cents: undefined, user: 'ada' },
    ];
    for (const params of same)
      expect(await app.jobs.enqueue(Charge, params as ChargeParams)).toMatchObject({ holder: id });
    for (const params of [
      { user: 'ada', cents: 101 },
      { user: 'grace', cents: 100 },
    ])
      expect(await app.jobs.enqueue(Charge, params)).toMatchObject({ status: 'enqueued' });
  });

  it('do not show in the key', async () => {
    const { ada, task } = await startCharges({ lock: 'until_completed', group: 'secret-group' });
    await ada({ id: 'first' });
    expect((await task('first'))?.lock?.key).toMatch(/^[\w-]{22}$/);
  });

  it('that do not pass take no lock', async () => {
    const { app, Charge, ada } = await startCharges({ lock: 'until_completed', by: () => 1 });
    await expect(app.jobs.enqueue(Charge, { user: 7 } as never)).rejects.toThrow('user must be a string');
    expect(await ada()).toMatchObject({ status: 'enqueued' });
  });
});

describe('A lock with a time to live', () => {
  it('of a task that has not started ends this long after its due time: 3,660 s for 60 s and an hour', async () => {
    const { app, ada, task, begin, ran } = await startCharges({ lock: 'until_completed', ttl: '60s' });
    await ada({ id: 'first', in: '1h' });
    await app.advance(3_660 * second - 1);
    expect(await ada({ id: 'second' })).toMatchObject({ status: 'rejected', holder: 'first' });
    await app.advance(1);
    expect(await ada({ id: 'second' })).toMatchObject({ status: 'enqueued' });
    expect((await task('first'))?.state).toBe('scheduled');
    await begin();
    expect(ran.map(({ id }) => id)).toEqual(['first', 'second']);
  });

  it('that has ended and was taken by another is never freed by the first', async () => {
    const { app, ada, begin } = await startCharges({ lock: 'until_completed', ttl: '60s' });
    await ada({ id: 'first' });
    await app.advance(minute);
    await ada({ id: 'second', in: '1h' });
    await begin();
    expect(await app.catalog.task('first')).toBeUndefined();
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'second' });
  });

  it.each(['cancel', 'remove'] as const)('that has ended is not freed by %s of the first', async (verb) => {
    const { app, ada } = await startCharges({ lock: 'until_completed', ttl: '60s' });
    await ada({ id: 'first' });
    await app.advance(minute);
    await ada({ id: 'second' });
    expect(await app.catalog[verb]('first')).toBe('done');
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'second' });
  });

  it('does not end while its task runs, nor in the pauses between its runs', async () => {
    const { app, ada, begin } = await startCharges({ lock: 'until_completed', ttl: '1s' });
    const ends = [gate(), gate()];
    await ada({ id: 'first', retries: ['1h'] });
    const [first, next] = [ends[0]!, ends[1]!];
    let run = 0;
    await begin(() => ends[run++]!.opened);
    await app.advance(hour);
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'first' });
    first.fail(new Error('no'));
    await app.advance(30 * minute);
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'first' });
    await app.advance(hour);
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'first' });
    next.open();
    await app.advance(0);
    expect(await ada()).toMatchObject({ status: 'enqueued' });
  });

  it.each([
    ['snooze', (task: Task) => task.snooze('1h')],
    ['retry', () => Promise.reject(new Error('no'))],
  ])('does not end after a %s either', async (_, act) => {
    const { app, ada, begin } = await startCharges({ lock: 'until_completed', ttl: '1s' });
    await ada({ id: 'first', retries: ['1h'] });
    await begin(act);
    await app.advance(30 * minute);
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'first' });
  });

  it('is the module’s where the job says none, the job’s where the call says none', async () => {
    const seen = async (unique: UniqueOptions, call?: EnqueueOptions) => {
      const { ada, task } = await startCharges(unique, { options: { lockTtl: '10m', runner: false } });
      await ada({ id: 'first', ...call });
      return (await task('first'))?.lock?.ttlMs;
    };
    expect(await seen({ lock: 'until_executed' })).toBe(10 * minute);
    expect(await seen({ lock: 'until_executed', ttl: '5m' })).toBe(5 * minute);
    expect(await seen({ lock: 'until_executed', ttl: '5m' }, { unique: { ttl: '1m' } })).toBe(minute);
    expect(await seen({ lock: 'while_executing' })).toBeUndefined();
  });
});

describe('Unique tasks and other options', () => {
  it('of one bulk: the second of two equal ones is rejected, the rest is stored', async () => {
    const { app, Charge } = await startCharges({ lock: 'until_completed' });
    const answers = await app.jobs.bulk((bulk) => {
      for (const [id, user] of [
        ['a', 'ada'],
        ['b', 'ada'],
        ['c', 'grace'],
      ])
        bulk.enqueue(Charge, { user: user!, cents: 1 }, { id });
    });
    expect(answers).toEqual([
      { id: 'a', queue: 'default', status: 'enqueued' },
      { id: 'b', queue: 'default', status: 'rejected', holder: 'a' },
      { id: 'c', queue: 'default', status: 'enqueued' },
    ]);
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: 2 });
  });

  it.each([
    ['within it', []],
    ['with a task that is there', ['there']],
  ])('of one bulk: where a conflict %s is raised none is stored, and no lock is taken', async (_, there) => {
    const { app, Charge, ada } = await startCharges({ lock: 'until_completed', onConflict: 'raise' });
    for (const id of there) await ada({ id });
    const filled = app.jobs.bulk((bulk) => {
      bulk.enqueue(Charge, { user: 'grace', cents: 1 }, { id: 'a' });
      bulk.enqueue(Charge, { user: 'ada', cents: 100 }, { id: 'b' });
      if (there.length === 0) bulk.enqueue(Charge, { user: 'ada', cents: 100 }, { id: 'c' });
    });
    const [id, holder] = there.length === 0 ? ['c', 'b'] : ['b', 'there'];
    await expect(filled).rejects.toMatchObject({ code: 'LOCK_CONFLICT', id, holder });
    expect(await app.catalog.counts('default')).toMatchObject({ waiting: there.length });
    const grace = await app.jobs.enqueue(Charge, { user: 'grace', cents: 1 });
    expect(grace.status).toBe('enqueued');
  });

  it('of one bulk with hooks: each is told what became of it', async () => {
    const told: string[] = [];
    @JobHooks()
    class Told {
      afterEnqueue(success: boolean, { id }: Task): void {
        told.push(`${id} ${success}`);
      }
    }
    const { app, Charge } = await startCharges({ lock: 'until_completed' }, { providers: [Told] });
    const fill = (onConflict: 'reject' | 'raise') =>
      app.jobs.bulk((bulk) => {
        for (const id of ['a', 'b', 'c'])
          bulk.enqueue(
            Charge,
            { user: id === 'c' ? 'c' : onConflict, cents: 1 },
            { id, unique: { onConflict } },
          );
      });
    await expect(fill('raise')).rejects.toThrow(LockConflictError);
    expect(told.splice(0)).toEqual(['a false', 'b false', 'c false']);
    expect((await fill('reject')).map(({ status }) => status)).toEqual(['enqueued', 'rejected', 'enqueued']);
    expect(told).toEqual(['a true', 'b false', 'c true']);
  });

  it('with a static id: a taken id answers first, and a task that replaces itself takes its lock along', async () => {
    const { ada } = await startCharges({ lock: 'until_completed' });
    await ada({ id: 'one' });
    expect(await ada({ id: 'one' })).toEqual({ id: 'one', queue: 'default', status: 'existing' });
    expect(await ada({ id: 'one', replace: true })).toMatchObject({ id: 'one', status: 'replaced' });
    expect(await ada({ id: 'two' })).toMatchObject({ status: 'rejected', holder: 'one' });
    expect(await ada({ id: 'one', replace: true }, 5)).toMatchObject({ status: 'replaced' });
    expect(await ada({ id: 'two' })).toMatchObject({ status: 'enqueued' });
    expect(await ada({ id: 'one', replace: true })).toMatchObject({ status: 'rejected', holder: 'two' });
    expect(await ada({ id: 'three' }, 5)).toMatchObject({ status: 'rejected', holder: 'one' });
  });

  it('with a delay and a priority: the lock is that of who came first, not of who is due first', async () => {
    const { app, ada, begin, ran } = await startCharges({ lock: 'until_completed' });
    await ada({ id: 'later', in: '1h', priority: 10 });
    expect(await ada({ id: 'sooner', priority: -10 })).toMatchObject({ status: 'rejected', holder: 'later' });
    await begin();
    expect(ran).toEqual([]);
    await app.advance(hour);
    expect(ran.map(({ id }) => id)).toEqual(['later']);
  });

  it('with keep: the id of a succeeded task is taken, its lock is free', async () => {
    const { app, ada, begin } = await startCharges({ lock: 'until_completed' });
    await ada({ id: 'one', keep: '1h' });
    await begin();
    expect((await app.catalog.task('one'))?.state).toBe('succeeded');
    expect(await ada({ id: 'one' })).toMatchObject({ status: 'existing' });
    expect(await ada({ id: 'two' })).toMatchObject({ status: 'enqueued' });
  });

  it('of another queue know nothing of each other', async () => {
    const { ada } = await startCharges({ lock: 'until_completed' });
    await ada({ id: 'one' });
    expect(await ada({ id: 'two', queue: 'other' })).toMatchObject({ queue: 'other', status: 'enqueued' });
    expect(await ada({ id: 'three', queue: 'other' })).toMatchObject({ status: 'rejected', holder: 'two' });
  });

  it('that beforeEnqueue vetoes take no lock, nor does one whose hook throws', async () => {
    const answers: (boolean | Error)[] = [false, new Error('not now'), true];
    @JobHooks()
    class Gatekeeper {
      beforeEnqueue(): boolean {
        const answer = answers.shift()!;
        if (answer instanceof Error) throw answer;
        return answer;
      }
    }
    const { ada } = await startCharges({ lock: 'until_completed' }, { providers: [Gatekeeper] });
    expect(await ada()).toMatchObject({ status: 'vetoed' });
    await expect(ada()).rejects.toThrow('not now');
    expect(await ada()).toMatchObject({ status: 'enqueued' });
  });

  it('are left by catalog.retry where another holds the lock by now, and take it where it is free', async () => {
    const { app, ada, begin, task } = await startCharges({ lock: 'until_completed' });
    await ada({ id: 'one', retries: 0 });
    await begin(() => Promise.reject(new Error('no')));
    await app.runner.stop();
    await ada({ id: 'two' });
    expect(await app.catalog.retry('one')).toBe('taken');
    expect(await task('one')).toMatchObject({ state: 'dead' });
    await app.catalog.remove('two');
    expect(await app.catalog.retry('one')).toBe('done');
    expect(await ada()).toMatchObject({ status: 'rejected', holder: 'one' });
  });
});
