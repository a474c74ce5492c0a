import { describe, expect, it } from '@jest/globals';
import { IsInt } from 'class-validator';
import { Job, type Backend } from 'nestjs-jobs';
import { z } from 'zod';
import { start, type Started } from './fixtures/start.js';

type NewTask = Parameters<Backend['tasks']['add']>[0][number][number];

/** Writes a record past the application, as another version of it would. */
async function write(
  { store }: Started,
  task: Partial<NewTask> & { id: string; job: string },
): Promise<void> {
  const defaults = {
    queue: 'default',
    token: task.id,
    params: '',
    priority: 0,
    due: { inMs: 0 },
    retries: 4,
  };
  await store.tasks.add([[{ ...defaults, ...task }]]);
  store.bell.ring(task.queue ?? 'default');
}

describe('a task that cannot be run here', () => {
  function jobs() {
    const ran: unknown[] = [];
    class Params {
      @IsInt() n!: number;
    }
    @Job({ params: Params })
    class ByClass {
      run(params: Params): void {
        ran.push(params.n);
      }
    }
    @Job({ params: z.object({ n: z.int() }) })
    class BySchema {
      run(params: { n: number }): void {
        ran.push(params.n);
      }
    }
    @Job()
    class Plain {
      run(params: unknown): void {
        ran.push(params);
      }
    }
    return { ran, providers: [ByClass, BySchema, Plain], ByClass, Plain };
  }

  it('is parked alone when nobody knows its job, with a warning, and the others run', async () => {
    const { ran, providers, Plain } = jobs();
    const app = await start({ providers, options: { runner: { autoStart: false } } });
    await write(app, { id: 'unknown', job: 'Gone', params: '{"a":1}' });
    await app.jobs.enqueue(Plain, 'known');
    await app.runner.start();
    await app.advance(0);
    expect(ran).toEqual(['known']);
    expect(await app.catalog.task('unknown')).toMatchObject({
      state: 'parked',
      reason: 'unknown-job',
      params: { a: 1 },
      attempt: 0,
      failures: 0,
    });
    expect(app.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringMatching(/unknown.*parked/) }),
    );
    await app.advance(3_600_000);
    expect((await app.catalog.task('unknown'))?.state).toBe('parked');
  });

  it('is taken up by a runner that knows its job, however many there are', async () => {
    const { providers } = jobs();
    const ran: string[] = [];
    @Job()
    class Gone {
      run(_: void, { id }: { id: string }): void {
        ran.push(id);
      }
    }
    const old = await start({ providers });
    const ids = Array.from({ length: 25 }, (_, index) => `t${index}`);
    for (const id of ids) await write(old, { id, job: 'Gone' });
    await old.advance(0);
    expect(await old.catalog.counts('default')).toMatchObject({ parked: 25 });
    await old.runner.stop();
    await start({ providers: [Gone], beside: old, options: { runner: { concurrency: 10 } } });
    await old.advance(60_000);
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it('is parked alone when its params are no JSON, with its bytes kept', async () => {
    const { ran, providers, Plain } = jobs();
    const app = await start({ providers, options: { runner: { autoStart: false } } });
    const bytes = '{"n": 1, \u0000 é broken';
    for (const job of ['ByClass', 'BySchema', 'Plain']) await write(app, { id: job, job, params: bytes });
    await app.jobs.enqueue(Plain, 'fine');
    await app.runner.start();
    await app.advance(0);
    for (const job of ['ByClass', 'BySchema', 'Plain'])
      expect(await app.catalog.task(job)).toMatchObject({
        state: 'parked',
        reason: 'unreadable',
        paramsText: bytes,
        attempt: 0,
      });
    expect(ran).toEqual(['fine']);
  });

  it('is parked alone when what only the runner reads is no JSON object', async () => {
    const { ran, providers } = jobs();
    const app = await start({ providers });
    for (const [index, extra] of ['{', 'null', '"text"'].entries())
      await write(app, { id: `x${index}`, job: 'Plain', extra });
    await app.advance(3_600_000);
    for (const index of [0, 1, 2])
      expect(await app.catalog.task(`x${index}`)).toMatchObject({ state: 'parked', reason: 'unreadable' });
    expect(ran).toEqual([]);
  });

  it('is parked when its params no longer pass, and again when a retry finds the same bytes', async () => {
    const { ran, providers } = jobs();
    const app = await start({ providers });
    for (const job of ['ByClass', 'BySchema']) await write(app, { id: job, job, params: '{"n":"text"}' });
    await app.advance(0);
    for (const job of ['ByClass', 'BySchema'])
      expect(await app.catalog.task(job)).toMatchObject({
        state: 'parked',
        reason: 'invalid-params',
        params: { n: 'text' },
        attempt: 0,
        failures: 0,
      });
    expect(await app.catalog.retry('ByClass')).toBe('done');
    await app.advance(0);
    expect((await app.catalog.task('ByClass'))?.state).toBe('parked');
    expect(ran).toEqual([]);
  });

  it('shows no params of others in its warning', async () => {
    const { providers } = jobs();
    const app = await start({ providers });
    await write(app, { id: 'secret', job: 'Plain', params: '"hunter2' });
    await app.advance(0);
    expect((await app.catalog.task('secret'))?.state).toBe('parked');
    expect(JSON.stringify(app.lines)).not.toContain('hunter2');
  });

  it('uses the default delays where its stored backoff cannot be read', async () => {
    const runs: number[] = [];
    @Job()
    class Failing {
      run(): void {
        runs.push(app.now());
        throw new Error('no');
      }
    }
    const app = await start({ providers: [Failing] });
    const extra = JSON.stringify({ backoff: { type: 'fibonacci', delay: '1m' } });
    await write(app, { id: 'x', job: 'Failing', extra, retries: 2 });
    await app.advance(3_600_000);
    expect(runs.map((at) => at - runs[0]!)).toEqual([0, 2_000, 10_000]);
  });
});
