import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { IsString, MinLength, ValidateNested } from 'class-validator';
import {
  InvalidOptionError,
  InvalidParamsError,
  Job,
  JobHooks,
  Periodic,
  Task,
  type JobsOptions,
} from 'nestjs-jobs';
import { z } from 'zod';
import { TaskEvents } from '../../lib/job/task-events.js';
import type { TaskEvent } from '../../lib/task/task-event.js';
import { start } from './fixtures/start.js';

const secret = 'hunter2-hunter2';
const number = '4111 1111 1111 1111';

class CardParams {
  @IsString() number!: string;
}
class LoginParams {
  @IsString() user!: string;
  @MinLength(8, { message: 'too short: $value' }) password!: string;
  @ValidateNested() @Type(() => CardParams) card!: CardParams;
}

const params = { user: 'ada', password: secret, card: { number } };

describe('A job with redact', () => {
  async function startLogin(log: JobsOptions['log'] = { level: 'verbose', params: true }) {
    const got: unknown[] = [];
    @Job({ params: LoginParams, redact: ['password', 'card.number'], retries: 1, backoff: '1s' })
    class Login {
      run(params: LoginParams, task: Task<LoginParams>): void {
        got.push(JSON.parse(JSON.stringify(params)));
        task.log(`trying ${params.user} with ${params.password}`);
        const inner = new Error(`card ${params.card.number} was refused`);
        throw new Error(`cannot log in ${params.user} by ${JSON.stringify(params)}`, { cause: inner });
      }
      shouldRetry(_: number, error: Error): boolean {
        throw new Error(`no rule for ${error.message}`);
      }
    }
    @JobHooks()
    class Hooks {
      afterEnqueue(_: boolean, task: Task): void {
        task.log(`enqueued ${(task.params as LoginParams).password}`);
        throw new Error(`hook of ${(task.params as LoginParams).password}`);
      }
      afterRun(_: boolean, task: Task): void {
        throw new Error(`hook after ${(task.error as Error).message}`);
      }
    }
    const app = await start({ providers: [Login, Hooks], options: { log } });
    const events: TaskEvent[] = [];
    app.app.get(TaskEvents, { strict: false }).listen((event) => events.push(event));
    return { ...app, Login, got, events };
  }

  it('shows its params nowhere: not in lines, stored errors, events', async () => {
    const { jobs, store, Login, advance, lines, events } = await startLogin();
    const { queue, id } = await jobs.enqueue(Login, params);
    await advance(10_000);
    const record = (await store.catalog.get({ queue, id }))!;
    expect(record).toMatchObject({ state: 'dead', attempt: 2 });
    const said = JSON.stringify([lines, record.errors, events]);
    expect(said).not.toContain(secret);
    expect(said).not.toContain(number);
    expect(record.errors).toHaveLength(2);
    expect(record.errors[0]!.message).toBe(
      'cannot log in ada by {"user":"ada","password":"[redacted]","card":{"number":"[redacted]"}}',
    );
    expect(record.errors[0]!.stack).toContain('card [redacted] was refused');
    const messages = lines.map(({ message }) => message);
    expect(messages).toContain('trying ada with [redacted]');
    expect(messages).toContain('enqueued [redacted]');
    expect(messages).toContainEqual(expect.stringContaining('hook of [redacted]'));
    expect(messages).toContainEqual(expect.stringContaining('hook after cannot log in ada'));
    expect(messages).toContainEqual(
      expect.stringContaining('shouldRetry failed: Error: no rule for cannot log in'),
    );
    expect(messages).toContainEqual(
      `task ${id} started with {"user":"ada","password":"[redacted]","card":{"number":"[redacted]"}}`,
    );
    expect(events.map(({ type }) => type)).toEqual([
      'enqueued',
      'started',
      'failed',
      'started',
      'failed',
      'dead',
    ]);
  });

  it('gives its handler, and stores, what was enqueued', async () => {
    const { jobs, store, Login, advance, got } = await startLogin();
    const { queue, id } = await jobs.enqueue(Login, params);
    await advance(10_000);
    expect(got).toEqual([params, params]);
    expect(JSON.parse((await store.catalog.get({ queue, id }))!.params)).toEqual(params);
  });

  it('shows its params nowhere in the catalog: not in a list, a search, a line, a note, a result, a schedule', async () => {
    @Job({ params: LoginParams, redact: ['password', 'card.number'], keep: '1h' })
    class Echo {
      run(params: LoginParams, task: Task<LoginParams>): unknown {
        task.log(`got ${params.password}`);
        task.log({ params } as never);
        task.progress(50, `half of ${params.card.number}`);
        return { echo: params.password, of: [params.card.number, 'ada'] };
      }
    }
    const { jobs, catalog, store, advance } = await start({ providers: [Echo] });
    const { queue, id } = await jobs.enqueue(Echo, params);
    await jobs.enqueue(Echo, params, { id: 'hourly', every: '1h', from: new Date('2040-01-01') });
    await advance(2_000);
    const info = (await catalog.task({ queue, id }))!;
    expect(info).toMatchObject({ state: 'succeeded', progress: { note: 'half of [redacted]' } });
    expect(info.lines.map(({ message }) => message)).toEqual([
      'got [redacted]',
      expect.stringContaining("password: '[redacted]'"),
    ]);
    const shown = JSON.stringify([
      info,
      await catalog.tasks({ queue }),
      await catalog.tasks({ queue, text: 'ada' }),
      await catalog.schedules(),
      await catalog.schedule('hourly'),
    ]);
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(number);
    expect(shown).toContain('[redacted]');
    // Who searches for a value must not find out by that who has it.
    expect((await catalog.tasks({ queue, text: secret })).tasks).toEqual([]);
    expect(await jobs.result({ queue, id })).toEqual({ echo: secret, of: [number, 'ada'] });
    expect((await store.catalog.get({ queue, id }))!.lines![0]!.message).toBe('got [redacted]');
  });

  it('hides in the catalog what was stored before it hid anything', async () => {
    const { store, catalog, advance } = await startLogin();
    const old = {
      queue: 'elsewhere',
      id: 'old',
      token: 'old',
      job: 'Login',
      priority: 0,
      retries: 0,
      due: { inMs: 0 },
    };
    await store.tasks.add([[{ ...old, params: JSON.stringify(params) }]]);
    const queues = [{ queue: 'elsewhere', limit: 1 }];
    const { tasks } = await store.tasks.claim({ queues, limit: 1, leaseMs: 1_000, runner: 'older' });
    const error = { name: 'Error', message: `no ${secret}`, stack: `Error: no ${secret}` };
    await store.tasks.settle([{ ...tasks[0]!, outcome: { type: 'dead', error, keepMs: 60_000 } }]);
    await advance(0);
    const info = (await catalog.task({ queue: 'elsewhere', id: 'old' }))!;
    expect(info.errors[0]).toMatchObject({ message: 'no [redacted]', stack: 'Error: no [redacted]' });
    expect(JSON.stringify([info, await catalog.failures()])).not.toContain(secret);
  });

  it('hides, where its runner knows an older version that hid nothing, what travels with a task', async () => {
    @Job({ params: LoginParams, name: 'Login', keep: '1h', retries: 0 })
    class OldLogin {
      run({ user, password }: LoginParams, task: Task): unknown {
        task.log(`trying ${password}`);
        if (user === 'bad') throw new Error(`no ${password}`);
        return { echo: password };
      }
    }
    @JobHooks()
    class Hooks {
      afterRun(_: boolean, { params }: Task): void {
        throw new Error(`hook of ${(params as LoginParams).password}`);
      }
    }
    const log = { level: 'verbose', params: true } as const;
    const { app, store, lines, advance } = await start({ providers: [OldLogin, Hooks], options: { log } });
    const events: TaskEvent[] = [];
    app.get(TaskEvents, { strict: false }).listen((event) => events.push(event));
    const task = (id: string, params: object) => ({
      ...{ queue: 'default', id, token: id, job: 'Login', priority: 0, retries: 0, due: { inMs: 0 } },
      ...{ keepMs: 3_600_000, extra: '{"redact":["password"]}', params: JSON.stringify(params) },
    });
    await store.tasks.add([
      [task('good', params), task('bad', { ...params, user: 'bad' })],
      [task('short', { ...params, password: 'hunter2' })],
    ]);
    await advance(1_000);
    const records = await Promise.all(
      ['good', 'bad', 'short'].map((id) => store.catalog.get({ queue: 'default', id })),
    );
    expect(records.map((record) => record?.state)).toEqual(['succeeded', 'dead', 'parked']);
    expect(
      JSON.stringify([lines, events, records.map((record) => [record!.errors, record!.lines])]),
    ).not.toContain('hunter2');
    const messages = lines.map(({ message }) => message).join('\n');
    for (const said of [
      'trying [redacted]',
      'hook of [redacted]',
      'Error: no [redacted]',
      'too short: [redacted]',
      '"password":"[redacted]"',
    ])
      expect(messages).toContain(said);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'succeeded', result: '{"echo":"[redacted]"}' }),
    );
  });

  it('refuses wrong params without saying what they were', async () => {
    const { jobs, Login } = await startLogin();
    const wrong = jobs.enqueue(Login, { ...params, password: 'hunter2' });
    await expect(wrong).rejects.toThrow(InvalidParamsError);
    await expect(wrong).rejects.toMatchObject({
      message: 'Login: invalid params: password: too short: [redacted]',
      violations: [{ path: 'password', message: 'too short: [redacted]' }],
      stack: expect.not.stringContaining('hunter2'),
    });
    const list = jobs.enqueue(Login, [{ ...params, user: 'u'.repeat(60) }] as never);
    await expect(list).rejects.toMatchObject({ message: expect.not.stringContaining('hunter') });
  });

  it('parks a task whose params no longer pass without saying what they are', async () => {
    const { store, lines, advance } = await startLogin();
    const task = {
      ...{
        queue: 'default',
        id: 'old',
        token: 'old',
        job: 'Login',
        priority: 0,
        retries: 0,
        due: { inMs: 0 },
      },
      params: JSON.stringify({ ...params, password: 'hunter2' }),
    };
    await store.tasks.add([[task]]);
    await advance(100);
    expect(await store.catalog.get({ queue: 'default', id: 'old' })).toMatchObject({ state: 'parked' });
    const messages = lines.map(({ message }) => message);
    expect(messages).toContainEqual(
      expect.stringMatching(/parked \(invalid-params\).*too short: \[redacted\]/),
    );
    expect(messages.join()).not.toContain('hunter2');
  });

  it('hides what its schema made of the params, and what a validator threw', async () => {
    const schema = z.object({
      token: z.string().transform((token) => {
        if (token.startsWith('bad')) throw new Error(`cannot decode ${token}`);
        return `decoded-${token.toUpperCase()}`;
      }),
    });
    @Job({ params: schema, redact: ['token'], retries: 0 })
    class Call {
      run({ token }: { token: string }): void {
        throw new Error(`refused: ${token}`);
      }
    }
    const { jobs, store, advance } = await start({ providers: [Call] });
    const { queue, id } = await jobs.enqueue(Call, { token: 'abcdef' } as never);
    await advance(0);
    expect((await store.catalog.get({ queue, id }))!.errors[0]!.message).toBe('refused: [redacted]');
    const failure = (await jobs
      .enqueue(Call, { token: 'bad-abcdef' } as never)
      .catch((error: unknown) => error)) as Error;
    expect(failure).toBeInstanceOf(InvalidParamsError);
    expect(`${failure.stack} ${(failure.cause as Error).stack}`).not.toContain('bad-abcdef');
    expect((failure.cause as Error).message).toBe('cannot decode [redacted]');
  });

  it('may be a recurring one', async () => {
    @Periodic('1m', { params: LoginParams, redact: ['password', 'card.number'], with: params })
    class Nightly {
      run({ password }: LoginParams): void {
        throw new Error(`no ${password}`);
      }
    }
    const { advance, lines } = await start({ providers: [Nightly] });
    await advance(120_000);
    expect(lines.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('Error: no [redacted]; it is dead'),
    );
    expect(JSON.stringify(lines)).not.toContain(secret);
  });
});

describe('redact that cannot mean anything', () => {
  it.each([
    [['passwrod'], "LoginParams has no 'passwrod'"],
    [['card.nubmer'], "CardParams has no 'nubmer'"],
    ['password', 'a list of paths'],
    [[7], 'a list of paths'],
    [['card..number'], 'paths of params, such as'],
  ])('stops the start: %j', async (redact, why) => {
    @Job({ params: LoginParams, redact: redact as string[] })
    class Login {
      run(_: LoginParams): void {}
    }
    const starting = start({ providers: [Login] });
    await expect(starting).rejects.toThrow(InvalidOptionError);
    await expect(starting).rejects.toThrow(why);
    await expect(starting).rejects.toThrow(/^Login: redact/);
  });
});
