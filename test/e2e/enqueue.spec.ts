import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsDate, IsEmail, IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import {
  InvalidOptionError,
  InvalidParamsError,
  Job,
  JobsError,
  PayloadTooLargeError,
  type EnqueueOptions,
  type JobOptions,
  type JobsOptions,
  type Task,
  type TaskState,
} from 'nestjs-jobs';
import { z } from 'zod';
import { settled, startApp, type TestApp } from '../support/app.js';

const second = 1_000;
const day = 86_400_000;
/** Where the virtual clock stands when an application starts. */
const start = Date.UTC(2030, 0, 1);

type NoParamsType = JobOptions & { params?: undefined };

/** An application with one job that takes any params and notes what it ran. */
async function startNoting(options: JobsOptions = {}, jobOptions: NoParamsType = {}) {
  const seen: unknown[] = [];
  @Job(jobOptions)
  class Note {
    run(params: unknown) {
      seen.push(params);
      return { noted: params };
    }
  }
  const test = await startApp({ options, providers: [Note] });
  return { ...test, Note, seen };
}

/** The same with a runner that has not started: what is enqueued stays in line until `run`. */
async function startHeld(options: JobsOptions = {}, jobOptions: NoParamsType = {}) {
  const test = await startNoting(
    { ...options, runner: { concurrency: 1, ...(options.runner || {}), autoStart: false } },
    jobOptions,
  );
  return { ...test, run: () => test.runner.start().then(settled) };
}

async function stateOf({ catalog }: TestApp, id: string): Promise<TaskState | undefined> {
  return (await catalog.task(id))?.state;
}

async function storedTasks({ catalog }: TestApp): Promise<number> {
  return (await catalog.count()).count;
}

describe('An enqueued task', () => {
  it('is one waiting entry under the id that the caller gets', async () => {
    const app = await startHeld();
    const enqueued = await app.jobs.enqueue(app.Note, 1);
    expect(enqueued).toEqual({ id: expect.stringMatching(/^.{22}$/), queue: 'default', status: 'enqueued' });
    expect((await app.catalog.tasks({ queue: 'default', state: 'waiting' })).tasks).toMatchObject([
      {
        id: enqueued.id,
        job: 'Note',
        params: 1,
        attempt: 0,
        retries: 4,
        priority: 0,
        dueAt: new Date(start),
      },
    ]);
    expect(await storedTasks(app)).toBe(1);
  });

  it('with `in` is not due a millisecond earlier', async () => {
    const app = await startNoting();
    const { id } = await app.jobs.enqueue(app.Note, 1, { in: '3s' });
    expect(await stateOf(app, id)).toBe('scheduled');
    await app.advance(2_999);
    expect(app.seen).toEqual([]);
    await app.advance(1);
    expect(app.seen).toEqual([1]);
  });

  it('with `at` runs at that moment, given as a Date or in milliseconds', async () => {
    const app = await startNoting();
    await app.jobs.enqueue(app.Note, 'date', { at: new Date(start + 5 * second) });
    await app.jobs.enqueue(app.Note, 'number', { at: start + 6 * second });
    await app.advance(4_999);
    expect(app.seen).toEqual([]);
    await app.advance(1);
    expect(app.seen).toEqual(['date']);
    await app.advance(second);
    expect(app.seen).toEqual(['date', 'number']);
  });

  it('with a month as delay is due on the same day of the next month', async () => {
    const app = await startNoting();
    await app.advance(30 * day); // 31 January
    const { id } = await app.jobs.enqueue(app.Note, 1, { in: '1mo' });
    expect((await app.catalog.task(id))!.dueAt).toEqual(new Date('2030-02-28'));
    await app.jobs.enqueue(app.Note, 2, { in: '1y', id: 'year' });
    expect((await app.catalog.task('year'))!.dueAt).toEqual(new Date('2031-01-31'));
  });

  it('goes first with a past or negative time, the earliest before all, then in order of arrival', async () => {
    const app = await startHeld();
    const add = (name: string, options?: EnqueueOptions) => app.jobs.enqueue(app.Note, name, options);
    await add('now');
    await add('now too', { in: 0 });
    await add('a minute ago', { in: '-1m' });
    await add('long ago', { at: 0 });
    await add('a second ago', { at: new Date(start - second) });
    await app.run();
    expect(app.seen).toEqual(['long ago', 'a minute ago', 'a second ago', 'now', 'now too']);
  });

  it('goes by priority first, lower before higher, and by arrival among equals', async () => {
    const app = await startHeld();
    for (const [name, priority] of [
      ['last', 1000],
      ['default', undefined],
      ['zero', 0],
      ['first', -1000],
      ['one', 1],
    ] as const)
      await app.jobs.enqueue(app.Note, name, { priority });
    await app.jobs.enqueue(app.Note, 'past, but less urgent', { priority: 1, in: -1 });
    await app.run();
    expect(app.seen).toEqual(['first', 'default', 'zero', 'past, but less urgent', 'one', 'last']);
  });

  it('goes to the queue of the call, and its id is taken in that queue only', async () => {
    const app = await startHeld({ runner: { queues: ['default', 'mail'] } });
    const there = await app.jobs.enqueue(app.Note, 'there', { queue: 'mail', id: 'x' });
    const here = await app.jobs.enqueue(app.Note, 'here', { id: 'x' });
    expect([there, here]).toEqual([
      { id: 'x', queue: 'mail', status: 'enqueued' },
      { id: 'x', queue: 'default', status: 'enqueued' },
    ]);
    await app.run();
    expect(app.seen.toSorted()).toEqual(['here', 'there']);
  });
});

describe('A task with an id', () => {
  it('enqueued three times is one task with the first params', async () => {
    const app = await startHeld();
    const statuses = [];
    for (const params of [1, 2, 3])
      statuses.push((await app.jobs.enqueue(app.Note, params, { id: 'x' })).status);
    expect(statuses).toEqual(['enqueued', 'existing', 'existing']);
    await app.run();
    expect(app.seen).toEqual([1]);
  });

  it('enqueued three times with `replace` is one task with the last params and options', async () => {
    const app = await startHeld();
    const statuses = [];
    for (const params of [1, 2, 3]) {
      const options = { id: 'x', replace: true, priority: params, in: params };
      statuses.push((await app.jobs.enqueue(app.Note, params, options)).status);
    }
    expect(statuses).toEqual(['enqueued', 'replaced', 'replaced']);
    expect(await storedTasks(app)).toBe(1);
    expect(await app.catalog.task('x')).toMatchObject({ params: 3, priority: 3, dueAt: new Date(start + 3) });
  });

  it('frees it when it has succeeded, and it can run again', async () => {
    const app = await startNoting();
    for (const params of [1, 2]) {
      expect(await app.jobs.enqueue(app.Note, params, { id: 'x' })).toMatchObject({ status: 'enqueued' });
      await app.advance(0);
    }
    expect(app.seen).toEqual([1, 2]);
  });

  it('stays taken for `keep`, with the result readable, and is free after it', async () => {
    const app = await startNoting();
    await app.jobs.enqueue(app.Note, 1, { id: 'x', keep: '1h' });
    await app.advance(3_599_999);
    expect(await app.catalog.task('x')).toMatchObject({ state: 'succeeded', result: { noted: 1 } });
    expect(await app.jobs.enqueue(app.Note, 2, { id: 'x' })).toMatchObject({ status: 'existing' });
    await app.advance(1);
    expect(await app.catalog.task('x')).toBeUndefined();
    expect(await app.jobs.enqueue(app.Note, 3, { id: 'x' })).toMatchObject({ status: 'enqueued' });
    await app.advance(0);
    expect(app.seen).toEqual([1, 3]);
  });

  it('is replaced though it has succeeded and is kept, and runs anew', async () => {
    const app = await startNoting();
    await app.jobs.enqueue(app.Note, 1, { id: 'x', keep: '1h' });
    await app.advance(0);
    const replaced = await app.jobs.enqueue(app.Note, 2, { id: 'x', replace: true });
    expect(replaced).toEqual({ id: 'x', queue: 'default', status: 'replaced' });
    await app.advance(0);
    expect(app.seen).toEqual([1, 2]);
  });
});

describe('A task with `expires`', () => {
  it('is cancelled where its first attempt has not begun by then, counted from its due time', async () => {
    const app = await startHeld();
    await app.jobs.enqueue(app.Note, 'late', { id: 'late', in: '10s', expires: '5s' });
    await app.jobs.enqueue(app.Note, 'in time', { in: '10s', expires: 5_001 });
    await app.jobs.enqueue(app.Note, 'by date', { id: 'date', expires: new Date(start + 15 * second) });
    await app.advance(15 * second);
    await app.run();
    expect(app.seen).toEqual(['in time']);
    for (const id of ['late', 'date'])
      expect(await app.catalog.task(id)).toMatchObject({ state: 'cancelled', reason: 'expired' });
  });
});

describe('What is not said in the call', () => {
  const record = async (options: JobsOptions, job: object, call?: EnqueueOptions) => {
    const app = await startHeld(options, job as NoParamsType);
    const { id } = await app.jobs.enqueue(app.Note, null, call);
    return (await app.catalog.task(id))!;
  };
  const defaults = { queue: 'module', priority: 1, retries: 1, keep: '1s', expires: '1s' };
  const ofJob = { queue: 'job', priority: 2, retries: 2, keep: '2s', expires: '2s' };
  const ofCall = { queue: 'call', priority: 3, retries: 3, keep: '3s', expires: '3s' };
  const asStored = (name: string, n: number) => ({
    queue: name,
    priority: n,
    retries: n,
    keepMs: n * second,
    expiresAt: new Date(start + n * second),
  });

  it('is taken from the job, and what the job does not say from the module', async () => {
    expect(await record({ defaults }, ofJob, ofCall)).toMatchObject(asStored('call', 3));
    expect(await record({ defaults }, ofJob)).toMatchObject(asStored('job', 2));
    expect(await record({ defaults }, {})).toMatchObject(asStored('module', 1));
    expect(await record({}, {})).toMatchObject({ queue: 'default', priority: 0, retries: 4 });
  });

  it('is what is undefined, too; 0 and false are said', async () => {
    const nothing = Object.fromEntries(Object.keys(ofJob).map((key) => [key, undefined]));
    expect(await record({ defaults }, ofJob, nothing)).toMatchObject(asStored('job', 2));
    expect(await record({ defaults }, nothing, nothing)).toMatchObject(asStored('module', 1));
    const zero = { priority: 0, retries: 0, keep: 0 };
    expect(await record({ defaults }, ofJob, zero)).toMatchObject({ priority: 0, retries: 0, keepMs: 0 });
    expect(await record({ defaults }, zero)).toMatchObject({ priority: 0, retries: 0, keepMs: 0 });
  });

  it('may be a time: the template of the job, which the choice of the call replaces', async () => {
    const date = new Date(start + 7 * second);
    expect(await record({}, { in: '5s' })).toMatchObject({ dueAt: new Date(start + 5 * second) });
    expect(await record({}, { at: date })).toMatchObject({ dueAt: date });
    expect(await record({}, { in: '5s' }, { at: date })).toMatchObject({ dueAt: date });
    expect(await record({}, { at: date }, { in: 0 })).toMatchObject({ dueAt: new Date(start) });
    expect(await record({}, { at: date }, { in: undefined })).toMatchObject({ dueAt: date });
  });

  it('may be `replace`', async () => {
    const app = await startHeld({}, { replace: true });
    await app.jobs.enqueue(app.Note, 1, { id: 'x' });
    expect(await app.jobs.enqueue(app.Note, 2, { id: 'x' })).toMatchObject({ status: 'replaced' });
    const kept = await app.jobs.enqueue(app.Note, 3, { id: 'x', replace: false });
    expect(kept).toMatchObject({ status: 'existing' });
  });
});

describe('An option that cannot mean anything', () => {
  it.each<[unknown, string]>([
    ['soon', 'options'],
    [null, 'options'],
    [[], 'options'],
    [{ delay: '5s' }, 'delay'],
    [{ every: '5s', in: '5s' }, 'every'],
    [{ every: 0 }, 'every'],
    [{ cron: '* * *' }, 'cron'],
    [{ until: new Date(start) }, 'until'],
    [{ id: '' }, 'id'],
    [{ id: 5 }, 'id'],
    [{ id: 'x'.repeat(256) }, 'id'],
    [{ replace: 'yes' }, 'replace'],
    [{ in: '5s', at: start }, 'at'],
    [{ in: '' }, 'in'],
    [{ in: '5 minutes' }, 'in'],
    [{ in: '1.5mo' }, 'in'],
    [{ in: NaN }, 'in'],
    [{ in: Infinity }, 'in'],
    [{ in: null }, 'in'],
    [{ at: '2030-01-01' }, 'at'],
    [{ at: new Date(NaN) }, 'at'],
    [{ at: Infinity }, 'at'],
    [{ queue: '' }, 'queue'],
    [{ queue: 'a b' }, 'queue'],
    [{ queue: 'q\n' }, 'queue'],
    [{ priority: 1001 }, 'priority'],
    [{ priority: -1001 }, 'priority'],
    [{ priority: 0.5 }, 'priority'],
    [{ priority: '1' }, 'priority'],
    [{ retries: -1 }, 'retries'],
    [{ retries: 1.5 }, 'retries'],
    [{ retries: [] }, 'retries'],
    [{ retries: ['1mo'] }, 'retries'],
    [{ retries: ['1s'], backoff: '1s' }, 'backoff'],
    [{ backoff: '-1s' }, 'backoff'],
    [{ backoff: () => 1 }, 'backoff'],
    [{ backoff: { type: 'exponential', delay: 'x' } }, 'backoff.delay'],
    [{ backoff: { type: 'exponential', delay: 1, factor: 0 } }, 'backoff.factor'],
    [{ backoff: { type: 'exponential', delay: 1, max: 'x' } }, 'backoff.max'],
    [{ jitter: -0.1 }, 'jitter'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: '1y' }, 'timeout'],
    [{ expires: '1mo' }, 'expires'],
    [{ expires: new Date(NaN) }, 'expires'],
    [{ expires: '-1s' }, 'expires'],
    [{ keep: -1 }, 'keep'],
    [{ keep: 'ever' }, 'keep'],
  ])('is refused by name and nothing is stored: %j', async (options, option) => {
    const app = await startHeld();
    const error: unknown = await app.jobs.enqueue(app.Note, 1, options as never).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toBeInstanceOf(JobsError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', where: 'Note', option });
    expect((error as Error).message).toMatch(/^Note: .* is .*, but must be /);
    expect(await storedTasks(app)).toBe(0);
  });

  it('of a job that is stored under another name is reported with the name of its class', async () => {
    const app = await startHeld({}, { name: 'stored.note' });
    await expect(app.jobs.enqueue(app.Note, 1, { in: 'x' })).rejects.toThrow(/\bNote\b.*in is "x"/);
  });
});

describe('Params', () => {
  class Address {
    @IsString() city!: string;
  }
  class Order {
    @IsEmail() to!: string;
    @IsOptional() @IsString() from?: string = 'no-reply@example.com';
    @IsInt() count?: number = 1;
    @IsOptional() @IsDate() @Type(() => Date) on?: Date;
    @IsOptional() amount?: bigint;
    @IsOptional() @ValidateNested({ each: true }) @Type(() => Address) addresses?: Address[];
  }

  async function startOrders() {
    const seen: Order[] = [];
    @Job({ params: Order })
    class Ship {
      run(order: Order) {
        seen.push(order);
      }
    }
    const test = await startApp({ providers: [Ship], options: { payloadLimit: 1_000 } });
    return { ...test, Ship, seen };
  }

  it('arrive as sent: nested objects, lists, dates, bigints, empty and false values', async () => {
    const app = await startOrders();
    const on = new Date('2031-02-03T04:05:06.789Z');
    await app.jobs.enqueue(app.Ship, {
      to: 'ada@example.com',
      count: 0,
      on,
      amount: 2n ** 70n,
      addresses: [{ city: '' }, { city: 'Akureyri 🏔' }],
    });
    await app.advance(0);
    const [order] = app.seen;
    expect(order).toBeInstanceOf(Order);
    expect(order).toEqual({
      to: 'ada@example.com',
      from: 'no-reply@example.com',
      count: 0,
      on,
      amount: 2n ** 70n,
      addresses: [{ city: '' }, { city: 'Akureyri 🏔' }],
    });
    expect(order!.on).toBeInstanceOf(Date);
    expect(order!.addresses![1]).toBeInstanceOf(Address);
  });

  it('of a job without a type arrive as JSON gives them back', async () => {
    const app = await startNoting();
    const values = [false, 0, '', null, 'ü\u0000\u2028', [], {}, { a: [{ b: null }], c: { d: -0.5 } }];
    for (const value of values) await app.jobs.enqueue(app.Note, value);
    await app.jobs.enqueue(app.Note, undefined);
    await app.advance(0);
    expect(app.seen).toEqual([...values, undefined]);
  });

  it('take the defaults of their class where they are left out or undefined', async () => {
    const app = await startOrders();
    await app.jobs.enqueue(app.Ship, { to: 'ada@example.com', from: undefined });
    await app.advance(0);
    expect(app.seen).toMatchObject([{ from: 'no-reply@example.com', count: 1 }]);
  });

  it('that break several rules are refused with one error that lists them all; nothing is stored', async () => {
    const app = await startOrders();
    const params = { to: 'nobody', count: 1.5, addresses: [{ city: 'Ulm' }, { city: 5 }] };
    const error: unknown = await app.jobs.enqueue(app.Ship, params as never).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', job: 'Ship' });
    expect((error as InvalidParamsError).violations.map(({ path }) => path).toSorted()).toEqual([
      'addresses[1].city',
      'count',
      'to',
    ]);
    expect((error as Error).message).toMatch(/^Ship: invalid params: .*to: .*/);
    expect(await storedTasks(app)).toBe(0);
  });

  it('that would not survive are refused with their paths; nothing is stored', async () => {
    const app = await startHeld();
    const cycle: Record<string, unknown> = {};
    cycle.self = { cycle };
    const params = { list: [1, () => 1], s: Symbol('s'), n: NaN, big: 1n, deep: cycle };
    const error: unknown = await app.jobs.enqueue(app.Note, params).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidParamsError);
    const paths = (error as InvalidParamsError).violations.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['list[1]', 's', 'n', 'big', 'deep.self.cycle']));
    expect(await storedTasks(app)).toBe(0);
  });

  it('over the limit are refused with both sizes; nothing is stored, and up to the limit they are taken', async () => {
    const app = await startHeld({ payloadLimit: 10 });
    const error: unknown = await app.jobs.enqueue(app.Note, 'ü'.repeat(5)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(PayloadTooLargeError);
    expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', job: 'Note', bytes: 12, limit: 10 });
    expect(await storedTasks(app)).toBe(0);
    await app.jobs.enqueue(app.Note, 'ü'.repeat(4));
    expect(await storedTasks(app)).toBe(1);
  });

  it('are taken as they are at the call: what the caller changes later changes nothing', async () => {
    const app = await startOrders();
    const params = { to: 'ada@example.com' };
    const enqueueing = app.jobs.enqueue(app.Ship, params);
    params.to = 'grace@example.com';
    await enqueueing;
    await app.advance(0);
    expect(app.seen).toMatchObject([{ to: 'ada@example.com' }]);
  });

  it('of a schema are checked at enqueue, stored as given, and arrive as the schema puts them out', async () => {
    const schema = z.object({
      n: z.coerce.number().min(1),
      on: z.coerce.date(),
      tag: z.string().default('none'),
    });
    type In = { n: string; on: Date | string; tag?: string };
    const seen: unknown[] = [];
    @Job({ params: schema })
    class Count {
      run(params: z.output<typeof schema>, _task: Task<z.output<typeof schema>, In>) {
        seen.push(params);
      }
    }
    const app = await startApp({ providers: [Count] });
    const { id } = await app.jobs.enqueue(Count, { n: '7', on: new Date(start) }, { in: 1 });
    expect((await app.catalog.task(id))!.paramsText).toBe('{"n":"7","on":"2030-01-01T00:00:00.000Z"}');
    await app.advance(1);
    expect(seen).toEqual([{ n: 7, on: new Date(start), tag: 'none' }]);

    const bad = { n: '0', on: 'never', tag: 5 } as never;
    const error: unknown = await app.jobs.enqueue(Count, bad).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect((error as InvalidParamsError).violations.map(({ path }) => path)).toEqual(['n', 'on', 'tag']);
    expect(await storedTasks(app)).toBe(0);
  });
});
