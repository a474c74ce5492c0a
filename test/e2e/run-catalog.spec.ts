import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError, Job, TaskCancelledError, type Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { aborted, gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';
import { TroubledStore } from './fixtures/troubled-store.js';

const second = 1_000;

describe('cancelling', () => {
  it('a running task aborts its signal, and it ends cancelled when it throws', async () => {
    const reasons: unknown[] = [];
    const seen: [boolean, boolean, unknown][] = [];
    @Job()
    class Long {
      run(_: void, task: Task): Promise<never> {
        task.signal.addEventListener('abort', () => reasons.push(task.signal.reason));
        return aborted(task.signal);
      }
      afterRun(success: boolean, task: Task): void {
        seen.push([success, task.willRetry, task.error]);
      }
    }
    const app = await start({ providers: [Long] });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    expect(await app.catalog.cancel(id)).toBe('requested');
    await settled();
    expect(reasons).toEqual([expect.any(TaskCancelledError)]);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'cancelled',
      reason: 'cancelled',
      attempt: 1,
      failures: 0,
    });
    expect(seen).toEqual([[false, false, expect.any(TaskCancelledError)]]);
    await app.advance(3_600 * second);
    expect(reasons).toHaveLength(1);
  });

  it('a running task that succeeds all the same leaves it succeeded', async () => {
    const end = gate();
    @Job({ keep: '1h' })
    class Stubborn {
      async run(): Promise<string> {
        await end.opened;
        return 'done';
      }
    }
    const app = await start({ providers: [Stubborn] });
    const { id } = await app.jobs.enqueue(Stubborn);
    await app.advance(0);
    await app.catalog.cancel(id);
    end.open();
    await settled();
    expect(await app.catalog.task(id)).toMatchObject({ state: 'succeeded', result: 'done' });
  });

  it('a running task that snoozes or fails for good ends it as cancelled', async () => {
    const end = gate();
    @Job()
    class Long {
      async run(snoozes: boolean, task: Task<boolean>): Promise<void> {
        await end.opened;
        if (snoozes) task.snooze('1s');
        task.fail('no', { retry: false });
      }
    }
    const app = await start({ providers: [Long] });
    await app.jobs.enqueue(Long, true, { id: 'snoozing' });
    await app.jobs.enqueue(Long, false, { id: 'failing' });
    await app.advance(0);
    for (const id of ['snoozing', 'failing']) await app.catalog.cancel(id);
    end.open();
    await app.advance(60 * second);
    for (const id of ['snoozing', 'failing']) expect((await app.catalog.task(id))?.state).toBe('cancelled');
  });

  it('a task that waits keeps it from running; it starts anew by retry', async () => {
    let runs = 0;
    @Job()
    class Later {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Later] });
    const { id } = await app.jobs.enqueue(Later, undefined, { in: '1m' });
    expect(await app.catalog.cancel(id)).toBe('done');
    expect(await app.catalog.cancel(id)).toBe('left');
    await app.advance(120 * second);
    expect(runs).toBe(0);
    expect(await app.catalog.retry(id)).toBe('done');
    await app.advance(0);
    expect(runs).toBe(1);
    expect(await app.catalog.cancel(id)).toBe('missing');
  });

  it('a task whose claim is still on its way here aborts its signal as soon as it is here', async () => {
    const store = new TroubledStore();
    const answered = gate();
    const reasons: unknown[] = [];
    @Job()
    class Long {
      run(_: void, task: Task): Promise<never> {
        task.signal.addEventListener('abort', () => reasons.push(task.signal.reason));
        return aborted(task.signal);
      }
    }
    const app = await start({ providers: [Long], before: store.before });
    await app.advance(0);
    store.trouble.claim = async (go) => {
      const claim = await go();
      await answered.opened;
      return claim;
    };
    const { id } = await app.jobs.enqueue(Long);
    await settled();
    expect(await app.catalog.cancel(id)).toBe('requested');
    await settled();
    answered.open();
    // No renewal comes meanwhile.
    await settled();
    expect(reasons).toEqual([expect.any(TaskCancelledError)]);
    expect((await app.catalog.task(id))?.state).toBe('cancelled');
  });

  it('a run of a task leaves alone the next run of it, which begins a moment later', async () => {
    const end = gate();
    @Job({ keep: '1h' })
    class Again {
      async run(_: void, task: Task): Promise<boolean> {
        await end.opened;
        return task.signal.aborted;
      }
    }
    const app = await start({ providers: [Again] });
    const { id } = await app.jobs.enqueue(Again, undefined, { in: '1h' });
    expect(await app.catalog.cancel(id)).toBe('done');
    // As if another process had run it: this one has it only after that.
    app.store.bell.ring('default', id);
    expect(await app.catalog.retry(id)).toBe('done');
    await settled();
    expect((await app.catalog.task(id))?.state).toBe('pending');
    end.open();
    await settled();
    expect((await app.catalog.task(id))?.result).toBe(false);
  });
});

describe('a paused queue', () => {
  function jobs() {
    const ran: string[] = [];
    class Base {
      run(_: void, { id }: Task): void {
        ran.push(id);
      }
    }
    @Job({ queue: 'mail' })
    class Mail extends Base {}
    @Job({ queue: 'other' })
    class Other extends Base {}
    return { ran, providers: [Mail, Other], Mail, Other };
  }

  it('takes tasks and starts none until it is resumed; other queues go on', async () => {
    const { ran, providers, Mail, Other } = jobs();
    const app = await start({ providers });
    await app.catalog.pause('mail');
    expect(await app.catalog.isPaused('mail')).toBe(true);
    await app.jobs.enqueue(Mail, undefined, { id: 'mail' });
    await app.jobs.enqueue(Other, undefined, { id: 'other' });
    await app.advance(3_600 * second);
    expect(ran).toEqual(['other']);
    await app.catalog.resume('mail');
    await settled();
    expect(ran).toEqual(['other', 'mail']);
    expect(await app.catalog.isPaused('mail')).toBe(false);
  });

  it.each<[string, unknown[]]>([
    ['an option that it does not know', ['mail', { until: new Date() }]],
    ['a time of nothing', ['mail', { for: 0 }]],
    ['a time before now', ['mail', { for: -1 }]],
    ['a time that is none', ['mail', { for: 'long' }]],
    ['options that are none', ['mail', '10m']],
    ['an empty name', ['']],
    ['no name', [undefined]],
  ])('is not made by %s', async (_, args) => {
    const { catalog } = await start({});
    await catalog.pause('mail', { for: '10m' });
    await expect(catalog.pause(...(args as ['']))).rejects.toThrow(InvalidOptionError);
    expect(await catalog.isPaused('mail')).toBe(true);
    expect((await catalog.queue('mail')).pausedForMs).toBe(600_000);
    if (args[0] === 'mail') return;
    await expect(catalog.resume(args[0] as string)).rejects.toThrow(InvalidOptionError);
    await expect(catalog.isPaused(args[0] as string)).rejects.toThrow(InvalidOptionError);
  });

  it('starts again by itself when the pause ends, to the millisecond', async () => {
    const { ran, providers, Mail } = jobs();
    const app = await start({ providers });
    await app.catalog.pause('mail', { for: '1m' });
    await app.jobs.enqueue(Mail, undefined, { id: 'mail' });
    await app.advance(60 * second - 1);
    expect(ran).toEqual([]);
    await app.advance(1);
    expect(ran).toEqual(['mail']);
  });

  it('lets what already runs come to its end', async () => {
    const end = gate();
    @Job({ keep: '1h' })
    class Long {
      run(): Promise<void> {
        return end.opened;
      }
    }
    const app = await start({ providers: [Long] });
    const { id } = await app.jobs.enqueue(Long);
    await app.advance(0);
    await app.catalog.pause('default');
    await app.advance(60 * second);
    end.open();
    await settled();
    expect((await app.catalog.task(id))?.state).toBe('succeeded');
  });
});

describe('the catalog', () => {
  it('runs a scheduled task now, and a failed one without its delay', async () => {
    const runs: number[] = [];
    @Job({ backoff: '1h' })
    class Later {
      run(_: void, { attempt }: Task): void {
        runs.push(attempt);
        if (attempt === 1) throw new Error('no');
      }
    }
    const app = await start({ providers: [Later] });
    const { id } = await app.jobs.enqueue(Later, undefined, { in: '1h' });
    expect(await app.catalog.runNow(id)).toBe('done');
    await settled();
    expect(runs).toEqual([1]);
    expect(await app.catalog.runNow(id)).toBe('done');
    await settled();
    expect(runs).toEqual([1, 2]);
    expect(await app.catalog.runNow(id)).toBe('missing');
  });

  it('removes a task unless it runs', async () => {
    const end = gate();
    let runs = 0;
    @Job()
    class Long {
      run(): Promise<void> {
        runs++;
        return end.opened;
      }
    }
    const app = await start({ providers: [Long] });
    await app.jobs.enqueue(Long, undefined, { id: 'now' });
    await app.jobs.enqueue(Long, undefined, { id: 'later', in: '1m' });
    await app.advance(0);
    expect(await app.catalog.remove('now')).toBe('left');
    expect(await app.catalog.remove('later')).toBe('done');
    expect(await app.catalog.remove('later')).toBe('missing');
    end.open();
    await app.advance(120 * second);
    expect(runs).toBe(1);
  });
});

describe('a task that expires', () => {
  it('is cancelled with the reason when its first attempt has not begun in time, counted from its due time', async () => {
    let runs = 0;
    @Job({ queue: 'slow', expires: '10s' })
    class Fleeting {
      run(): void {
        runs++;
      }
    }
    const app = await start({ providers: [Fleeting] });
    await app.catalog.pause('slow', { for: '70s' });
    await app.jobs.enqueue(Fleeting, undefined, { id: 'late', in: '1m' });
    await app.jobs.enqueue(Fleeting, undefined, { id: 'in time', in: '61s' });
    await app.advance(70 * second);
    expect(await app.catalog.task('late')).toMatchObject({
      state: 'cancelled',
      reason: 'expired',
      attempt: 0,
    });
    expect(await app.catalog.task('in time')).toBeUndefined();
    expect(runs).toBe(1);
  });

  it('still has its retries once its first attempt has begun', async () => {
    const attempts: number[] = [];
    @Job({ expires: '1s', retries: 1, backoff: '1h' })
    class Fleeting {
      run(_: void, { attempt }: Task): void {
        attempts.push(attempt);
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Fleeting] });
    await app.jobs.enqueue(Fleeting);
    await app.advance(3_600 * second);
    expect(attempts).toEqual([1, 2]);
  });
});
