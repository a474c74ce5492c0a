import { describe, expect, it } from '@jest/globals';
import { Job, JobHooks, Task, type Backend } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { endingOf, type Ending } from './fixtures/ending.js';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('afterRun', () => {
  it('tells success with the result, failure with the error and whether it retries, and death', async () => {
    const endings: Ending[] = [];
    const no = new Error('no');
    @Job({ retries: 1, backoff: '1s' })
    class Hooked {
      run(fails: boolean): { answer: number } {
        if (fails) throw no;
        return { answer: 42 };
      }
      async afterRun(success: boolean, task: Task<boolean>): Promise<void> {
        endings.push(endingOf(success, task));
      }
    }
    const app = await start({ providers: [Hooked] });
    await app.jobs.enqueue(Hooked, false, { id: 'good' });
    await app.jobs.enqueue(Hooked, true, { id: 'bad' });
    await app.advance(60 * second);
    expect(endings).toEqual([
      { id: 'good', success: true, attempt: 1, willRetry: false, error: undefined, result: { answer: 42 } },
      { id: 'bad', success: false, attempt: 1, willRetry: true, error: no, result: undefined },
      { id: 'bad', success: false, attempt: 2, willRetry: false, error: no, result: undefined },
    ]);
  });

  it('is told of a failure that nothing describes, and of a timeout', async () => {
    const endings: Ending[] = [];
    @Job({ retries: 0, timeout: '1s' })
    class Hooked {
      run(hangs: boolean): Promise<void> {
        return hangs ? new Promise(() => undefined) : Promise.reject();
      }
      afterRun(success: boolean, task: Task<boolean>): void {
        endings.push(endingOf(success, task));
      }
    }
    const app = await start({ providers: [Hooked] });
    await app.jobs.enqueue(Hooked, false);
    await app.jobs.enqueue(Hooked, true);
    await app.advance(1 * second);
    expect(endings.map(({ success }) => success)).toEqual([false, false]);
    expect(endings[1]!.error).toMatchObject({ code: 'TASK_TIMEOUT' });
  });

  it('is not called for a snooze, a park or a hand-back', async () => {
    const called: string[] = [];
    const stuck = gate();
    @JobHooks()
    class Hooks {
      afterRun(_: boolean, task: Task): void {
        called.push(task.id);
      }
    }
    @Job()
    class Hooked {
      run(what: string, task: Task<string>): Promise<void> | void {
        if (what === 'snooze') task.snooze('1h');
        if (what === 'stuck') return stuck.opened;
      }
      afterRun(_: boolean, task: Task<string>): void {
        called.push(task.id);
      }
    }
    const app = await start({
      providers: [Hooks, Hooked],
      options: { runner: { shutdownTimeout: '1s' } },
    });
    const record = { queue: 'default', priority: 0, due: { inMs: 0 }, retries: 4 };
    const parked: Parameters<Backend['tasks']['add']>[0][number] = [
      { ...record, id: 'unknown', token: '1', job: 'Gone', params: '' },
      { ...record, id: 'unreadable', token: '2', job: 'Hooked', params: '{' },
    ];
    await app.store.tasks.add([parked]);
    for (const id of ['snooze', 'stuck', 'fine']) await app.jobs.enqueue(Hooked, id, { id });
    await app.advance(0);
    const stopping = app.runner.stop();
    await app.advance(2 * second);
    await stopping;
    const states = await Promise.all(
      ['unknown', 'unreadable', 'snooze', 'stuck'].map(async (id) => (await app.catalog.task(id))?.state),
    );
    expect(states).toEqual(['parked', 'parked', 'scheduled', 'waiting']);
    expect(called).toEqual(['fine', 'fine']);
    stuck.open();
    await settled();
    expect(called).toEqual(['fine', 'fine']);
  });

  it('that throws or rejects is logged and changes nothing: the task is not run again', async () => {
    let runs = 0;
    @Job({ keep: '1h' })
    class Hooked {
      run(): string {
        runs++;
        return 'done';
      }
      async afterRun(): Promise<void> {
        throw new Error('broken hook');
      }
    }
    const app = await start({ providers: [Hooked] });
    const { id } = await app.jobs.enqueue(Hooked);
    await app.advance(3_599 * second);
    expect(runs).toBe(1);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'succeeded',
      result: 'done',
      failures: 0,
      errors: [],
    });
    expect(app.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        context: 'Hooked',
        message: expect.stringMatching(/afterRun.*broken hook/),
      }),
    );
  });

  it('cannot make a failure of a success by task.fail or task.snooze', async () => {
    let runs = 0;
    @Job({ keep: '1h' })
    class Hooked {
      run(): void {
        runs++;
      }
      afterRun(_: boolean, task: Task<void>): void {
        if (runs % 2 === 1) task.fail('too late');
        else task.snooze('1s');
      }
    }
    const app = await start({ providers: [Hooked] });
    for (const id of ['a', 'b']) {
      await app.jobs.enqueue(Hooked, undefined, { id });
      await app.advance(0);
    }
    await app.advance(60 * second);
    expect(runs).toBe(2);
    for (const id of ['a', 'b']) expect((await app.catalog.task(id))?.state).toBe('succeeded');
  });

  it('holds the task pending until it is through', async () => {
    const end = gate();
    @Job({ keep: '1h' })
    class Hooked {
      run(): void {}
      afterRun(): Promise<void> {
        return end.opened;
      }
    }
    const app = await start({ providers: [Hooked] });
    const { id } = await app.jobs.enqueue(Hooked);
    await app.advance(120 * second);
    expect((await app.catalog.task(id))?.state).toBe('pending');
    end.open();
    await settled();
    expect(await app.catalog.task(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });
});
