import { describe, expect, it } from '@jest/globals';
import { Job, LeaseLostError, type Clock, type Task } from 'nestjs-jobs';
import { eventually, settled } from '../support/app.js';
import { aborted, gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { down, TroubledStore, type Trouble } from './fixtures/troubled-store.js';

const second = 1_000;

/** An application with a job that runs until its gate opens and notes what it hears meanwhile. */
async function startLong(end = gate<unknown>()) {
  const troubled = new TroubledStore();
  const started: string[] = [];
  const aborts: { id: string; at: number; reason: unknown }[] = [];
  const ended: { id: string; success: boolean }[] = [];
  @Job({ keep: '1h' })
  class Long {
    run(_: void, task: Task): Promise<unknown> {
      started.push(task.id);
      task.signal.addEventListener('abort', () =>
        aborts.push({ id: task.id, at: app.now(), reason: task.signal.reason }),
      );
      return end.opened;
    }
    afterRun(success: boolean, task: Task): void {
      ended.push({ id: task.id, success });
    }
  }
  const app = await start({ providers: [Long], before: troubled.before });
  await app.advance(0);
  const beganAt = app.now();
  const enqueue = (id: string) => app.jobs.enqueue(Long, undefined, { id });
  const claimAsOther = () =>
    app.store.tasks.claim({
      queues: [{ queue: 'default', limit: 1 }],
      limit: 1,
      leaseMs: 20 * second,
      runner: 'another',
    });
  const { trouble, calls } = troubled;
  return { ...app, trouble, calls, end, started, aborts, ended, beganAt, enqueue, claimAsOther };
}

describe('leases', () => {
  it('of long tasks are renewed well before their end, also while every slot is taken', async () => {
    const { store, enqueue, advance, now, catalog, aborts, end, started } = await startLong();
    for (let count = 0; count < 10; count++) await enqueue(`t${count}`);
    for (let seconds = 0; seconds < 120; seconds++) {
      await advance(second);
      const { tasks: pending } = await store.catalog.list('default', 'pending', { limit: 100 });
      expect(pending).toHaveLength(10);
      for (const { leaseEndsAt } of pending) expect(leaseEndsAt! - now()).toBeGreaterThan(10 * second);
    }
    expect(aborts).toEqual([]);
    end.open('done');
    await settled();
    expect((await catalog.task('t0'))?.state).toBe('succeeded');
    expect(started).toHaveLength(10);
  });

  const troubles: [string, (clock: Clock) => NonNullable<Trouble['renew']>][] = [
    ['are refused', () => down],
    ['get no answer', () => () => new Promise(() => undefined)],
    [
      'are refused after some thought',
      (clock) => () =>
        new Promise((_, reject) => clock.after(4 * second, () => reject(new Error('the store is down')))),
    ],
  ];
  it.each(troubles)(
    'whose renewals %s abort the signals before they end; nothing is claimed until it works again',
    async (_, trouble) => {
      const app = await startLong();
      const { advance, enqueue, aborts, beganAt, started, catalog } = app;
      await enqueue('a');
      await advance(0);
      app.trouble.renew = trouble(app.clock);
      await advance(12 * second);
      expect(aborts).toEqual([]);
      await advance(8 * second - 1);
      expect(aborts).toEqual([{ id: 'a', at: expect.any(Number), reason: expect.any(LeaseLostError) }]);
      expect(aborts[0]!.at - beganAt).toBeGreaterThan(12 * second);
      await enqueue('b');
      await advance(0);
      expect(started).toEqual(['a']);
      app.trouble.renew = undefined;
      await advance(10 * second);
      expect(started).toEqual(['a', 'b']);
      app.end.open('done');
      await settled();
      // Nobody else had claimed it meanwhile, so the outcome still counts.
      expect(await catalog.task('a')).toMatchObject({ state: 'succeeded', attempt: 1 });
      expect((await catalog.task('b'))?.state).toBe('succeeded');
    },
  );

  it('whose renewals fail are not tried in a busy loop', async () => {
    const { advance, enqueue, trouble, calls } = await startLong();
    await enqueue('a');
    await advance(0);
    trouble.renew = down;
    await advance(600 * second);
    expect(calls.renew).toBeGreaterThan(10);
    expect(calls.renew).toBeLessThan(1_000);
  });

  it('whose renewals fail do not abort tasks when the store returns in time', async () => {
    const { advance, enqueue, trouble, aborts, end, catalog } = await startLong();
    await enqueue('a');
    await advance(0);
    for (let rounds = 0; rounds < 5; rounds++) {
      trouble.renew = down;
      await advance(12 * second);
      trouble.renew = undefined;
      await advance(12 * second);
    }
    expect(aborts).toEqual([]);
    end.open('done');
    await settled();
    expect(await catalog.task('a')).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
  });
});

describe('a lost lease', () => {
  it.each([
    ['succeeds', true],
    ['fails', false],
  ])(
    'aborts the signal; the outcome of a run that %s late is refused and logged, and no afterRun is called',
    async (_, succeeds) => {
      const app = await startLong();
      const { advance, enqueue, aborts, end, catalog, lines, ended } = app;
      await enqueue('a');
      await advance(0);
      // The store has forgotten the lease while the runner believes it renewed.
      app.trouble.renew = async () => ({ lost: [], cancelled: [] });
      app.trouble.claim = async () => ({ tasks: [], nextInMs: [Infinity] });
      await advance(21 * second);
      const { tasks } = await app.claimAsOther();
      expect(tasks).toMatchObject([{ id: 'a', attempt: 2, failures: 1 }]);
      app.trouble.renew = undefined;
      await advance(7 * second);
      expect(aborts).toEqual([{ id: 'a', at: expect.any(Number), reason: expect.any(LeaseLostError) }]);
      if (succeeds) end.open('late');
      else end.fail(new Error('late'));
      await settled();
      expect(await catalog.task('a')).toMatchObject({
        state: 'pending',
        runner: 'another',
        attempt: 2,
        failures: 1,
        errors: [{ name: 'LeaseLostError' }],
      });
      expect(lines).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          context: 'Long',
          message: expect.stringMatching(/a.*lost/),
        }),
      );
      expect(lines.filter(({ message }) => /succeeded|runs again/.test(message))).toEqual([]);
      expect(ended).toEqual([]);
    },
  );

  it('that comes to light only when the outcome is offered is refused and logged as well', async () => {
    const app = await startLong();
    await app.enqueue('a');
    await app.advance(0);
    app.trouble.renew = async () => ({ lost: [], cancelled: [] });
    app.trouble.claim = async () => ({ tasks: [], nextInMs: [Infinity] });
    await app.advance(21 * second);
    await app.claimAsOther();
    app.end.open('late');
    await settled();
    expect(await app.catalog.task('a')).toMatchObject({ state: 'pending', runner: 'another' });
    expect(app.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('lost') }),
    );
    // Its slot is free again.
    app.trouble.renew = app.trouble.claim = undefined;
    for (let count = 0; count < 10; count++) await app.enqueue(`t${count}`);
    await app.advance(0);
    expect(app.started).toHaveLength(11);
  });

  it('of a task that this runner got again does not keep a cancellation from its second run', async () => {
    const signals: AbortSignal[] = [];
    const first = gate();
    const troubled = new TroubledStore();
    @Job()
    class Long {
      run(_: void, task: Task): Promise<void> {
        signals.push(task.signal);
        return signals.length === 1 ? first.opened : aborted(task.signal);
      }
    }
    const app = await start({ providers: [Long], before: troubled.before });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    troubled.trouble.renew = async () => ({ lost: [], cancelled: [] });
    await app.advance(25 * second);
    troubled.trouble.renew = undefined;
    expect(signals).toHaveLength(2);
    await app.catalog.cancel(id);
    await app.advance(10 * second);
    expect(signals[1]!.aborted).toBe(true);
    expect((await app.catalog.task(id))?.state).toBe('cancelled');
    first.open();
    await settled();
    expect((await app.catalog.task(id))?.state).toBe('cancelled');
  });
});

describe('an event loop that is blocked longer than the lease', () => {
  it('does not lose its tasks to itself', async () => {
    const end = gate();
    const runs: string[] = [];
    const block = (ms: number) => {
      for (const until = Date.now() + ms; Date.now() < until;);
    };
    @Job({ keep: '1h' })
    class Mixed {
      async run(_: void, { id }: Task): Promise<void> {
        runs.push(id);
        if (id.startsWith('blocking')) block(1_300);
        else await end.opened;
      }
    }
    const app = await start({
      providers: [Mixed],
      realTime: true,
      options: { runner: { lease: '1s', concurrency: 2 } },
    });
    await app.jobs.enqueue(Mixed, undefined, { id: 'waiting' });
    await app.jobs.enqueue(Mixed, undefined, { id: 'blocking 1' });
    await app.jobs.enqueue(Mixed, undefined, { id: 'blocking 2' });
    await eventually(async () => (await app.catalog.task('blocking 2'))?.state === 'succeeded', 10_000);
    end.open();
    await eventually(async () => (await app.catalog.task('waiting'))?.state === 'succeeded');
    expect(runs.toSorted()).toEqual(['blocking 1', 'blocking 2', 'waiting']);
    for (const id of runs) expect(await app.catalog.task(id)).toMatchObject({ attempt: 1, failures: 0 });
  }, 20_000);
});
