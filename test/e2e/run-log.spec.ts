import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Job, JobHooks, Task, type JobsOptions } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('the log', () => {
  async function linesWith(log: JobsOptions['log']) {
    @Job({ retries: 1, backoff: '90s' })
    class Talking {
      async run(fails: boolean, task: Task<boolean>): Promise<void> {
        task.log('hello');
        await new Promise<void>((resolve) => app.clock.after(1_500, resolve));
        if (fails) throw new Error('no');
      }
    }
    const app = await start({ providers: [Talking], options: { log } });
    await app.jobs.enqueue(Talking, false, { id: 'good' });
    await app.jobs.enqueue(Talking, true, { id: 'bad' });
    await app.advance(300 * second);
    return app.lines.filter(({ context }) => context === 'Talking');
  }

  it("tells start, success with duration, failure with the next time, and death, under the job's name", async () => {
    const lines = await linesWith(undefined);
    const about = (id: string) => lines.filter(({ message }) => message.includes(id));
    expect(lines.filter(({ message, level }) => message === 'hello' && level === 'log')).toHaveLength(3);
    expect(about('good')).toEqual([
      { context: 'Talking', level: 'log', message: expect.stringContaining('started') },
      { context: 'Talking', level: 'log', message: expect.stringMatching(/succeeded.* 1\.5 s/) },
    ]);
    const [begun, failed, begunAgain, died, ...rest] = about('bad');
    expect(begun).toMatchObject({ level: 'log', message: expect.stringContaining('started') });
    // The first failure comes 1.5 s after the start of time, the retry 90 s later.
    expect(failed).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/failed.*Error: no.*2030-01-01T00:01:31\.500Z/),
    });
    expect(begunAgain).toMatchObject({ level: 'log', message: expect.stringContaining('attempt 2 of 2') });
    expect(died).toMatchObject({ level: 'error', message: expect.stringMatching(/failed.*Error: no.*dead/) });
    expect(rest).toEqual([]);
  });

  it('says nothing with log: false, and only what is severe enough with a level', async () => {
    expect(await linesWith(false)).toEqual([]);
    expect((await linesWith({ level: 'warn' })).map(({ level }) => level)).toEqual(['warn', 'error']);
    expect((await linesWith({ level: 'error' })).map(({ level }) => level)).toEqual(['error']);
    expect(await linesWith({ level: 'fatal' })).toEqual([]);
  });

  it('never holds params', async () => {
    @Job({ retries: 0 })
    class Secret {
      run(_: { password: string }): void {
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Secret], options: { log: { level: 'verbose' } } });
    await app.jobs.enqueue(Secret, { password: 'hunter2' });
    await app.advance(0);
    expect(JSON.stringify(app.lines)).toContain('dead');
    expect(JSON.stringify(app.lines)).not.toContain('hunter2');
  });
});

describe('the runner', () => {
  it('outlives a logger that throws', async () => {
    const ran: number[] = [];
    @Job({ retries: 1, backoff: '1s' })
    class Talking {
      run(number: number, task: Task<number>): void {
        task.log('hello');
        ran.push(number);
        if (task.attempt === 1) throw new Error('no');
      }
    }
    const app = await start({ providers: [Talking] });
    const broken = () => {
      throw new Error('broken logger');
    };
    Logger.overrideLogger({ log: broken, warn: broken, error: broken, debug: broken, verbose: broken });
    try {
      await app.jobs.enqueue(Talking, 1);
      await app.advance(5 * second);
      await app.jobs.enqueue(Talking, 2);
      await app.advance(5 * second);
    } finally {
      Logger.overrideLogger(false);
    }
    expect(ran).toEqual([1, 1, 2, 2]);
  });

  it('outlives everything that user code can throw, at concurrency 1', async () => {
    const ran: string[] = [];
    @JobHooks()
    class Hooks {
      beforeRun(task: Task<string>): void {
        if (task.params === 'beforeRun') throw undefined;
      }
      afterRun(): void {
        throw null;
      }
    }
    @Job({ retries: 0 })
    class Wild {
      run(what: string): unknown {
        ran.push(what);
        if (what === 'throw') throw undefined;
        if (what === 'reject') return Promise.reject(Object.create(null));
        if (what === 'thenable')
          return {
            get then() {
              throw new Error('no thenable');
            },
          };
        return what;
      }
    }
    const app = await start({ providers: [Hooks, Wild], options: { runner: { concurrency: 1 } } });
    for (const what of ['beforeRun', 'throw', 'reject', 'thenable', 'fine'])
      await app.jobs.enqueue(Wild, what, { id: what, keep: '1h' });
    await app.advance(0);
    expect(ran).toEqual(['throw', 'reject', 'thenable', 'fine']);
    for (const id of ['beforeRun', 'throw', 'reject', 'thenable'])
      expect((await app.catalog.task(id))?.state).toBe('dead');
    expect((await app.catalog.task('fine'))?.state).toBe('succeeded');
  });
});
