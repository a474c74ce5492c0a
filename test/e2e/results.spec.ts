import { describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  InvalidOptionError,
  Job,
  JobHooks,
  JobQueue,
  JobsModule,
  QueueClosedError,
  ResultMissingError,
  ResultTimeoutError,
  TaskCancelledError,
  TaskDiedError,
  type Task,
} from 'nestjs-jobs';
import { settled } from '../support/app.js';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

const second = 1_000;

@Job({ keep: '1h', retries: 1, backoff: '2s' })
class Answering {
  async run(how: string, task: Task<string>): Promise<{ how: string; attempt: number }> {
    if (how === 'second time' && task.attempt === 1) throw new Error('not yet');
    if (how === 'never') throw new RangeError('no way');
    if (how === 'waits') await new Promise((resolve) => task.signal.addEventListener('abort', resolve));
    if (how === 'waits') throw task.signal.reason;
    return { how, attempt: task.attempt };
  }
}

describe('jobs.result', () => {
  it('is what run returned, by any name of the task, before and after it has ended', async () => {
    const app = await start({ providers: [Answering] });
    const enqueued = await app.jobs.enqueue(Answering, 'at once', { id: 'one' });
    const expected = { how: 'at once', attempt: 1 };
    // No time passes: the runner says that it has finished.
    expect(await app.jobs.result(enqueued)).toEqual(expected);
    expect(await app.jobs.result({ queue: 'default', id: 'one' })).toEqual(expected);
    expect(await app.jobs.result('one')).toEqual(expected);
    const later = await app.jobs.enqueue(Answering, 'later', { in: '10s' });
    const waiting = app.jobs.result(later.id);
    await app.advance(10 * second);
    expect(await waiting).toEqual({ how: 'later', attempt: 1 });
  });

  it('is undefined of a run that returned nothing, and as JSON leaves it of others', async () => {
    @Job({ keep: '1h' })
    class Returning {
      run(what: string) {
        return what === 'nothing' ? undefined : { on: new Date(0), none: undefined };
      }
    }
    const app = await start({ providers: [Returning] });
    expect(await app.jobs.result(await app.jobs.enqueue(Returning, 'nothing'))).toBeUndefined();
    expect(await app.jobs.result(await app.jobs.enqueue(Returning, 'a date'))).toEqual({
      on: '1970-01-01T00:00:00.000Z',
    });
  });

  it('waits for the retries of a task, to its good or bad end', async () => {
    const app = await start({ providers: [Answering] });
    const good = app.jobs.result(await app.jobs.enqueue(Answering, 'second time'));
    const bad = app.jobs.result(await app.jobs.enqueue(Answering, 'never', { id: 'bad' }));
    bad.catch(() => undefined);
    await app.advance(3 * second);
    expect(await good).toEqual({ how: 'second time', attempt: 2 });
    await expect(bad).rejects.toThrow(TaskDiedError);
    await expect(bad).rejects.toMatchObject({
      ...{ code: 'TASK_DIED', job: 'Answering', queue: 'default', id: 'bad' },
      message: 'Answering: task bad is dead: RangeError: no way',
      cause: { name: 'RangeError', message: 'no way', stack: expect.stringContaining('results.spec') },
    });
  });

  it('rejects when the task is cancelled, before its run or in it', async () => {
    const app = await start({ providers: [Answering] });
    const running = await app.jobs.enqueue(Answering, 'waits');
    const scheduled = await app.jobs.enqueue(Answering, 'later', { in: '1h' });
    await app.advance(0);
    const waits = [running, scheduled].map((ref) => app.jobs.result(ref));
    for (const wait of waits) wait.catch(() => undefined);
    await settled();
    for (const ref of [running, scheduled]) await app.catalog.cancel(ref);
    await app.advance(second);
    for (const wait of waits) await expect(wait).rejects.toThrow(TaskCancelledError);
  });

  it('rejects where nobody can know: an unknown task, one that was not kept, one that was not enqueued', async () => {
    @Job({ unique: { lock: 'until_executed' } })
    class Single {
      run(): void {}
    }
    @JobHooks()
    class Vetoing {
      beforeEnqueue(task: Task): boolean {
        return task.id !== 'vetoed';
      }
    }
    const app = await start({ providers: [Answering, Single, Vetoing] });
    const unkept = await app.jobs.enqueue(Answering, 'at once', { keep: 0 });
    await app.advance(0);
    await app.jobs.enqueue(Single, undefined, { id: 'holder', in: '1h' });
    const refs = [
      unkept,
      'unknown',
      { queue: 'nowhere', id: 'unknown' },
      await app.jobs.enqueue(Single, undefined, { id: 'rejected' }),
      await app.jobs.enqueue(Single, undefined, { id: 'vetoed' }),
    ];
    const whys = [
      'a result is kept with `keep`',
      'any queue',
      "queue 'nowhere'",
      'task holder holds',
      'vetoed it',
    ];
    for (const [n, ref] of refs.entries()) {
      const wait = app.jobs.result(ref);
      await expect(wait).rejects.toThrow(ResultMissingError);
      await expect(wait).rejects.toThrow(whys[n]!);
    }
  });

  it('rejects after its time, with the state that was seen last; half a minute unless one is given', async () => {
    const app = await start({ providers: [Answering], options: { runner: false } });
    const waiting = await app.jobs.enqueue(Answering, 'nobody runs it');
    const brief = app.jobs.result(waiting, { timeout: '2s' });
    const usual = app.jobs.result(waiting);
    for (const wait of [brief, usual]) wait.catch(() => undefined);
    await app.advance(2 * second);
    await expect(brief).rejects.toThrow(ResultTimeoutError);
    await expect(brief).rejects.toMatchObject({ state: 'waiting', timeoutMs: 2_000, id: waiting.id });
    let isOver = false;
    usual.catch(() => (isOver = true));
    await app.advance(27 * second);
    expect(isOver).toBe(false);
    await app.advance(second);
    await expect(usual).rejects.toMatchObject({ code: 'RESULT_TIMEOUT', timeoutMs: 30_000 });
  });

  it('refuses what is no task and no time', async () => {
    const { jobs } = await start({ providers: [Answering] });
    for (const ref of [undefined, null, 7, '', {}, { id: 'a' }, { queue: 'q' }, { queue: 'q', id: '' }])
      await expect(jobs.result(ref as never)).rejects.toThrow(InvalidOptionError);
    for (const options of [
      { timeout: 0 },
      { timeout: '-1s' },
      { timeout: Infinity },
      { timeout: 'soon' },
      { wait: 1 },
    ])
      await expect(jobs.result('a', options as never)).rejects.toThrow(InvalidOptionError);
  });

  it('rejects when the application closes, and from then on', async () => {
    const app = await start({ providers: [Answering] });
    const later = await app.jobs.enqueue(Answering, 'later', { in: '1h' });
    const waiting = app.jobs.result(later);
    waiting.catch(() => undefined);
    await settled();
    await app.app.close();
    await expect(waiting).rejects.toThrow(QueueClosedError);
    await expect(app.jobs.result(later)).rejects.toThrow(QueueClosedError);
  });

  it('of a request that waits does not hold up the end of its server', async () => {
    const arrived = gate();
    @Controller()
    class Waiting {
      constructor(private readonly jobs: JobQueue) {}

      @Get()
      async wait(): Promise<unknown> {
        const later = await this.jobs.enqueue(Answering, 'later', { in: '1h' });
        setImmediate(() => arrived.open());
        return this.jobs.result(later, { timeout: '10m' });
      }
    }
    const module = await Test.createTestingModule({
      imports: [JobsModule.forRoot({ backend: 'memory:', log: false })],
      providers: [Answering],
      controllers: [Waiting],
    }).compile();
    const server = module.createNestApplication({ logger: false });
    await server.listen(0);
    const answer = fetch(await server.getUrl()).then(({ status }) => status);
    await arrived.opened;
    await server.close();
    expect(await answer).toBe(500);
  });

  it('can be awaited in a handler, also while the runner drains', async () => {
    const began = gate();
    const go = gate();
    @Job({ keep: '1h' })
    class Inner {
      async run(): Promise<number> {
        began.open();
        await go.opened;
        return 20;
      }
    }
    @Job({ keep: '1h' })
    class Outer {
      async run(): Promise<number> {
        return 2 * (await app.jobs.result(await app.jobs.enqueue(Inner)));
      }
    }
    const app = await start({ providers: [Inner, Outer] });
    const { id } = await app.jobs.enqueue(Outer);
    await app.advance(0);
    await began.opened;
    const stopping = app.runner.stop();
    go.open();
    await app.advance(second);
    await stopping;
    expect(await app.catalog.task(id)).toMatchObject({ state: 'succeeded', result: 40 });
  });

  it('comes from another application on the same store', async () => {
    const worker = await start({ providers: [Answering] });
    const web = await start({ providers: [], beside: worker, options: { runner: false } });
    const enqueued = await web.jobs.enqueue(Answering, 'elsewhere');
    expect(await web.jobs.result(enqueued)).toEqual({ how: 'elsewhere', attempt: 1 });
  });
});
