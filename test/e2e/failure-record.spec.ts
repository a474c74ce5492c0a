import { describe, expect, it } from '@jest/globals';
import { Job, type Task } from 'nestjs-jobs';
import { start } from './fixtures/start.js';

const second = 1_000;

describe('the record of a failed task', () => {
  it('keeps name, message, stack, time and attempt of every failure', async () => {
    const startedAt: number[] = [];
    @Job({ retries: 2, backoff: '5s' })
    class Failing {
      run(_: void, task: Task): void {
        startedAt.push(app.now());
        throw new RangeError(`try ${task.attempt}`);
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(60 * second);
    const record = await app.catalog.task(id);
    expect(record).toMatchObject({ state: 'dead', attempt: 3, failures: 3 });
    expect(record?.errors).toEqual(
      [1, 2, 3].map((attempt) => ({
        name: 'RangeError',
        message: `try ${attempt}`,
        stack: expect.stringContaining('failure-record.spec'),
        attempt,
        at: new Date(startedAt[attempt - 1]!),
        startedAt: new Date(startedAt[attempt - 1]!),
        runMs: 0,
        runner: expect.stringContaining(`:${process.pid}:`),
      })),
    );
  });

  it('can be read between the attempts', async () => {
    @Job()
    class Failing {
      run(): void {
        throw new Error('first');
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(1 * second);
    expect(await app.catalog.task(id)).toMatchObject({
      state: 'scheduled',
      attempt: 1,
      failures: 1,
      errors: [{ message: 'first', attempt: 1 }],
    });
  });

  it('names the cause of an error in its stack', async () => {
    @Job({ retries: 0 })
    class Failing {
      run(): void {
        throw new Error('outer', { cause: new TypeError('inner') });
      }
    }
    const app = await start({ providers: [Failing] });
    const { id } = await app.jobs.enqueue(Failing);
    await app.advance(0);
    expect((await app.catalog.task(id))?.errors[0]?.stack).toMatch(/outer[^]*caused by TypeError: inner/);
  });

  it('holds whatever was thrown, and the runner lives on', async () => {
    const thrown: unknown[] = [
      undefined,
      null,
      'text',
      0,
      Symbol('s'),
      Object.create(null),
      {
        toString() {
          throw new Error('unreadable');
        },
      },
      Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('unreadable');
        },
      }),
      new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error('unreadable');
          },
        },
      ),
    ];
    @Job({ retries: 0 })
    class Throwing {
      run(which: number): void {
        throw thrown[which];
      }
    }
    const app = await start({ providers: [Throwing] });
    for (const which of thrown.keys()) await app.jobs.enqueue(Throwing, which, { id: `t${which}` });
    await app.advance(0);
    for (const which of thrown.keys()) {
      const record = await app.catalog.task(`t${which}`);
      expect(record?.state).toBe('dead');
      expect(record?.errors).toEqual([
        expect.objectContaining({ name: expect.any(String), message: expect.any(String), attempt: 1 }),
      ]);
    }
    expect((await app.catalog.task('t2'))?.errors[0]?.message).toContain('text');
    expect((await app.catalog.task('t0'))?.errors[0]?.message).toContain('undefined');
  });

  it('shortens huge messages and stacks', async () => {
    @Job({ retries: 0 })
    class Loud {
      run(): void {
        throw new Error('x'.repeat(10_000_000));
      }
    }
    const app = await start({ providers: [Loud] });
    const { id } = await app.jobs.enqueue(Loud);
    await app.advance(0);
    const [error] = (await app.catalog.task(id))!.errors;
    expect(error!.message).toMatch(/^xxx/);
    expect(error!.message.length).toBeLessThan(20_000);
    expect(error!.stack!.length).toBeLessThan(20_000);
    for (const { message } of app.lines) expect(message.length).toBeLessThan(20_000);
  });
});
