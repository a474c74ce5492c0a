import { describe, expect, it } from '@jest/globals';
import { Scope } from '@nestjs/common';
import { Job, JobHooks, JobQueue, Task } from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { endingOf, type Ending } from './fixtures/ending.js';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('beforeRun', () => {
  it('comes before run with the same task; run waits for it', async () => {
    const opening = gate();
    const calls: [string, Task<string>][] = [];
    @Job()
    class Hooked {
      async beforeRun(task: Task<string>): Promise<void> {
        calls.push(['before', task]);
        await opening.opened;
      }
      run(_: string, task: Task<string>): void {
        calls.push(['run', task]);
      }
    }
    const app = await start({ providers: [Hooked] });
    await app.jobs.enqueue(Hooked, 'p');
    await app.advance(0);
    expect(calls.map(([call]) => call)).toEqual(['before']);
    expect(calls[0]![1]).toMatchObject({ params: 'p', attempt: 1, willRetry: false });
    opening.open();
    await settled();
    expect(calls.map(([call]) => call)).toEqual(['before', 'run']);
    expect(calls[1]![1]).toBe(calls[0]![1]);
  });

  it('that throws is a failed attempt with backoff, to the end of the retries', async () => {
    const tries: number[] = [];
    const endings: Ending[] = [];
    let runs = 0;
    @Job({ retries: 2, backoff: '3s' })
    class Hooked {
      beforeRun(): void {
        tries.push(app.now());
        throw new Error('not now');
      }
      run(): void {
        runs++;
      }
      afterRun(success: boolean, task: Task): void {
        endings.push(endingOf(success, task));
      }
    }
    const app = await start({ providers: [Hooked] });
    const { id } = await app.jobs.enqueue(Hooked);
    await app.advance(60 * second);
    expect(tries.map((at) => at - tries[0]!)).toEqual([0, 3_000, 6_000]);
    expect(runs).toBe(0);
    expect(await app.catalog.task(id)).toMatchObject({ state: 'dead', attempt: 3, failures: 3 });
    expect(endings.map(({ success, willRetry }) => [success, willRetry])).toEqual([
      [false, true],
      [false, true],
      [false, false],
    ]);
  });

  it('may fail the task for good or snooze it', async () => {
    let runs = 0;
    @Job()
    class Hooked {
      beforeRun(task: Task<string>): void {
        if (task.params === 'fail') task.fail('no use', { retry: false });
        if (runs === 0) task.snooze('5s');
      }
      run(_: string): void {
        runs++;
      }
    }
    const app = await start({ providers: [Hooked] });
    await app.jobs.enqueue(Hooked, 'fail', { id: 'fail' });
    await app.jobs.enqueue(Hooked, 'snooze', { id: 'snooze' });
    await app.advance(0);
    expect((await app.catalog.task('fail'))?.state).toBe('dead');
    expect(await app.catalog.task('snooze')).toMatchObject({ state: 'scheduled', attempt: 0, failures: 0 });
    expect(runs).toBe(0);
  });
});

describe('@JobHooks', () => {
  it('frames the job’s own hooks, and one that throws after the run does not stop the others', async () => {
    const calls: string[] = [];
    @JobHooks()
    class Outer {
      beforeRun(task: Task): void {
        calls.push(`outer before ${task.job}`);
      }
      afterRun(success: boolean): void {
        calls.push(`outer after ${success}`);
      }
    }
    @JobHooks()
    class Inner {
      beforeRun(): void {
        calls.push('inner before');
      }
      afterRun(success: boolean): void {
        calls.push(`inner after ${success}`);
        throw new Error('broken');
      }
    }
    @Job()
    class Hooked {
      beforeRun(): void {
        calls.push('own before');
      }
      run(): void {
        calls.push('run');
      }
      afterRun(success: boolean): void {
        calls.push(`own after ${success}`);
        throw new Error('broken');
      }
    }
    const app = await start({ providers: [Outer, Inner, Hooked] });
    await app.jobs.enqueue(Hooked);
    await app.advance(0);
    expect(calls).toEqual([
      'outer before Hooked',
      'inner before',
      'own before',
      'run',
      'own after true',
      'inner after true',
      'outer after true',
    ]);
  });

  it('hears of a job whose dependencies cannot be made', async () => {
    const endings: Ending[] = [];
    @JobHooks()
    class Hooks {
      afterRun(success: boolean, task: Task): void {
        endings.push(endingOf(success, task));
      }
    }
    @Job({ scope: Scope.REQUEST, retries: 0 })
    class Broken {
      constructor() {
        throw new Error('cannot be made');
      }
      run(): void {}
    }
    const app = await start({ providers: [Hooks, Broken] });
    await app.jobs.enqueue(Broken, undefined, { id: 'x' });
    await app.advance(0);
    expect(endings).toMatchObject([{ id: 'x', success: false, willRetry: false }]);
  });
});

describe('a chain', () => {
  it('is built by jobs that enqueue their successors in afterRun, and stops at a link that dies', async () => {
    const ran: string[] = [];
    @Job()
    class Third {
      run(order: number): void {
        ran.push(`third ${order}`);
      }
    }
    @Job({ retries: 0 })
    class Second {
      constructor(private readonly jobs: JobQueue) {}
      run(order: number): void {
        ran.push(`second ${order}`);
        if (order === 2) throw new Error('out of stock');
      }
      async afterRun(success: boolean, task: Task<number>): Promise<void> {
        if (success) await this.jobs.enqueue(Third, task.params);
      }
    }
    @Job()
    class First {
      constructor(private readonly jobs: JobQueue) {}
      run(order: number): number {
        ran.push(`first ${order}`);
        return order;
      }
      async afterRun(success: boolean, task: Task<number>): Promise<void> {
        if (success) await this.jobs.enqueue(Second, task.result as number);
      }
    }
    const app = await start({ providers: [First, Second, Third] });
    await app.jobs.enqueue(First, 1);
    await app.advance(0);
    await app.jobs.enqueue(First, 2);
    await app.advance(60 * second);
    expect(ran).toEqual(['first 1', 'second 1', 'third 1', 'first 2', 'second 2']);
  });
});
