import { describe, expect, it } from '@jest/globals';
import { Job, TaskFailedError, type Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('task.fail', () => {
  it('fails the attempt with its reason, and the task is retried', async () => {
    const reasons: (string | Error | undefined)[] = ['not ready', new RangeError('too far'), undefined];
    @Job({ retries: 2, backoff: '1s' })
    class Failing {
      run(_: void, task: Task): void {
        task.fail(reasons[task.attempt - 1]);
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(60 * second);
    const record = await app.catalog.task(id);
    expect(record).toMatchObject({ state: 'dead', attempt: 3 });
    expect(record?.errors.map(({ message }) => message)).toEqual([
      'not ready',
      'too far',
      expect.stringContaining('Failing'),
    ]);
    expect(record?.errors[1]?.stack).toContain('RangeError: too far');
  });

  it('with retry: false ends the task at once, in whatever mood shouldRetry is', async () => {
    let runs = 0;
    @Job({ retries: 9 })
    class Failing {
      run(_: void, task: Task): void {
        runs++;
        task.fail('never again', { retry: false });
      }
      shouldRetry(): boolean {
        return true;
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(3_600 * second);
    expect(runs).toBe(1);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      attempt: 1,
      errors: [{ name: 'TaskFailedError', message: 'never again' }],
    });
  });

  it('counts although the handler catches what it throws', async () => {
    let caught: unknown;
    @Job({ retries: 3 })
    class Failing {
      run(_: void, task: Task): string {
        try {
          task.fail('caught', { retry: false });
        } catch (error) {
          caught = error;
        }
        return 'looks fine';
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(0);
    expect(caught).toBeInstanceOf(TaskFailedError);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', errors: [{ message: 'caught' }] });
  });

  it('counts although the handler throws something else after it', async () => {
    @Job({ retries: 3 })
    class Failing {
      run(_: void, task: Task): void {
        try {
          task.fail('meant', { retry: false });
        } catch {
          throw new Error('wrapped');
        }
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(0);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', errors: [{ message: 'meant' }] });
  });
});

describe('task.snooze', () => {
  it('runs the task again at its time, spends no attempt and logs no error', async () => {
    const runs: { at: number; attempt: number; failures: number }[] = [];
    @Job({ retries: 0 })
    class Sleepy {
      run(_: void, task: Task): void {
        runs.push({ at: app.now(), attempt: task.attempt, failures: task.failures });
        if (runs.length < 4) task.snooze('10s');
      }
    }
    const app = await start({ providers: [Sleepy] });
    const { id } = await app.jobs.enqueue(Sleepy, undefined, { keep: '1h' });
    await app.advance(5 * second);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'scheduled', attempt: 0, errors: [] });
    await app.advance(60 * second);
    expect(runs.map(({ at }) => at - runs[0]!.at)).toEqual([0, 10_000, 20_000, 30_000]);
    for (const run of runs) expect(run).toMatchObject({ attempt: 1, failures: 0 });
    expect(await app.catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 1, failures: 0 });
    expect(app.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  it('counts although the handler catches what it throws', async () => {
    let runs = 0;
    @Job()
    class Sleepy {
      async run(_: void, task: Task): Promise<void> {
        if (++runs === 1)
          await Promise.resolve()
            .then(() => task.snooze(500))
            .catch(() => undefined);
      }
    }
    const app = await start({ providers: [Sleepy] });
    const { id } = await app.jobs.enqueue(Sleepy);
    await app.advance(499);
    expect(runs).toBe(1);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'scheduled', attempt: 0 });
    await app.advance(1);
    expect(runs).toBe(2);
  });

  it('with a delay that cannot be read is a failure that says so', async () => {
    @Job({ retries: 0 })
    class Sleepy {
      run(_: void, task: Task): void {
        task.snooze('tomorrow');
      }
    }
    const app = await start({ providers: [Sleepy] });
    const { id } = await app.jobs.enqueue(Sleepy);
    await app.advance(0);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'dead',
      errors: [{ name: 'InvalidOptionError', message: expect.stringContaining('tomorrow') }],
    });
  });
});
