import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Logger, type LoggerService } from '@nestjs/common';
import { InvalidOptionError, Job, Periodic, Task, type JobsOptions, type LogOptions } from 'nestjs-jobs';
import { pino } from 'pino';
import { gate } from './fixtures/gate.js';
import { start } from './fixtures/start.js';

afterEach(() => Logger.overrideLogger(false));

type Call = [level: string, ...args: unknown[]];

/** Everything that reaches the application's logger, as it does. */
async function callsWith(log: JobsOptions['log'], logger?: LoggerService): Promise<Call[]> {
  const calls: Call[] = [];
  @Job({ name: 'Talking', queue: 'talks', retries: 1, backoff: '90s' })
  class Talking {
    async run({ fails }: { fails: boolean; secret: string }, task: Task): Promise<void> {
      task.log('hello');
      await new Promise<void>((resolve) => app.clock.after(1_500, resolve));
      if (fails) throw new Error('no');
    }
  }
  const app = await start({ providers: [Talking], options: { log } });
  const at =
    (level: string) =>
    (...args: unknown[]) =>
      void calls.push([level, ...args]);
  Logger.overrideLogger(
    logger ?? {
      log: at('log'),
      warn: at('warn'),
      error: at('error'),
      debug: at('debug'),
      verbose: at('verbose'),
    },
  );
  await app.jobs.enqueue(Talking, { fails: false, secret: 'hunter2' }, { id: 'good' });
  await app.advance(10_000);
  await app.jobs.enqueue(Talking, { fails: true, secret: 'hunter2' }, { id: 'bad' });
  await app.advance(300_000);
  return calls;
}

const good = { taskId: 'good', job: 'Talking', queue: 'talks', attempt: 1 };
const bad = { ...good, taskId: 'bad' };

describe('structured lines', () => {
  it.each(['snoozed', 'cancelled'])('tell how long a run took that ended as %s', async (event) => {
    const calls: Record<string, unknown>[] = [];
    @Job({ name: 'Stopping' })
    class Stopping {
      async run(how: string, task: Task): Promise<void> {
        await new Promise<void>((resolve) => app.clock.after(1_500, resolve));
        if (how === 'snoozed') task.snooze('1h');
        throw new Error('stopped');
      }
    }
    const app = await start({ providers: [Stopping], options: { log: { structured: true } } });
    const take = (line: Record<string, unknown>) => void calls.push(line);
    Logger.overrideLogger({ log: take, warn: take, error: take, debug: take });
    const { id } = await app.jobs.enqueue(Stopping, event);
    await app.advance(500);
    if (event === 'cancelled') await app.catalog.cancel(id);
    await app.advance(1_500);
    expect(calls.at(-1)).toMatchObject({ event, outcome: event, taskId: id, durationMs: 1_500 });
  });

  it('are objects with the facts of the task, one per event', async () => {
    const calls = await callsWith({ structured: true, level: 'debug' });
    expect(calls.map((call) => call.at(-1))).toEqual(calls.map(() => 'Talking'));
    const error = { name: 'Error', message: 'no', stack: expect.stringContaining('Error: no\n') };
    const ended = { durationMs: 1_500, event: 'failed', outcome: 'retry', retryInMs: 90_000, error };
    expect(calls.map(([level, line]) => [level, line])).toEqual([
      [
        'debug',
        {
          message: 'task good enqueued in queue talks',
          event: 'enqueued',
          status: 'enqueued',
          ...good,
          attempt: undefined,
        },
      ],
      ['log', { message: 'task good started', event: 'started', ...good }],
      ['log', { message: 'hello', ...good }],
      [
        'log',
        {
          message: 'task good succeeded in 1.5 s',
          event: 'succeeded',
          ...good,
          outcome: 'succeeded',
          durationMs: 1_500,
        },
      ],
      ['debug', expect.objectContaining({ event: 'enqueued' })],
      ['log', expect.objectContaining({ event: 'started' })],
      ['log', expect.objectContaining({ message: 'hello' })],
      ['warn', { message: expect.stringMatching(/^task bad failed in 1\.5 s/), ...bad, ...ended }],
      ['log', expect.objectContaining({ event: 'started', attempt: 2 })],
      ['log', expect.objectContaining({ message: 'hello', attempt: 2 })],
      [
        'error',
        {
          message: expect.stringMatching(/it is dead$/),
          ...bad,
          attempt: 2,
          event: 'dead',
          outcome: 'dead',
          durationMs: 1_500,
          error,
        },
      ],
    ]);
    expect(JSON.stringify(calls)).not.toContain('hunter2');
  });

  it('have their text at `msg`, for pino', async () => {
    let out = '';
    const sink = new Writable({
      write(chunk, _, done) {
        out += String(chunk);
        done();
      },
    });
    const root = pino({ level: 'trace' }, sink);
    // As nestjs-pino does it: the context joins the object.
    const at =
      (level: 'info' | 'warn' | 'error') =>
      (message: unknown, ...rest: unknown[]) => {
        const context = { context: rest.at(-1) };
        if (typeof message === 'object') root[level]({ ...context, ...message });
        else root[level](context, String(message));
      };
    await callsWith({ structured: 'msg' }, { log: at('info'), warn: at('warn'), error: at('error') });
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines[2]).toMatchObject({
      ...{ ...good, msg: 'task good succeeded in 1.5 s', context: 'Talking', level: 30 },
      ...{ event: 'succeeded', outcome: 'succeeded', durationMs: 1_500 },
    });
    expect(lines.at(-1)).toMatchObject({ level: 50, event: 'dead', error: { name: 'Error', message: 'no' } });
    expect(lines.every((line) => 'msg' in line)).toBe(true);
  });

  it('are text with an object behind it, for the ConsoleLogger of Nest 12', async () => {
    const written: string[] = [];
    class Written extends ConsoleLogger {
      protected override printAsJson(...args: Parameters<ConsoleLogger['printAsJson']>): void {
        written.push(JSON.stringify(this.getJsonLogObject(...args)));
      }
    }
    await callsWith({ structured: 'params' }, new Written({ json: true, flattenParams: true } as never));
    const lines = written.map((line) => JSON.parse(line) as object);
    expect(lines[2]).toMatchObject({
      ...{ ...good, message: 'task good succeeded in 1.5 s', context: 'Talking', level: 'log' },
      ...{ event: 'succeeded', durationMs: 1_500 },
    });
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      event: 'dead',
      error: { name: 'Error', message: 'no' },
    });
    expect(lines).toHaveLength(9);
  });

  it('tell of a schedule by its id', async () => {
    const end = gate();
    @Periodic('1m', { name: 'Slow', timeout: '1h' })
    class Slow {
      run(): Promise<void> {
        return end.opened;
      }
    }
    const app = await start({ providers: [Slow], options: { log: { structured: true } } });
    const calls: Call[] = [];
    Logger.overrideLogger({
      log: (...args: unknown[]) => calls.push(['log', ...args]),
      warn() {},
      error() {},
    } as never);
    await app.advance(200_000);
    end.open();
    expect(calls).toContainEqual([
      'log',
      {
        message: expect.stringContaining('is not finished'),
        scheduleId: 'Slow',
        job: 'Slow',
        queue: 'default',
      },
      'Slow',
    ]);
  });
});

describe('the level of a line', () => {
  const eventsWith = async (log: LogOptions) =>
    (await callsWith({ ...log, structured: true })).map(([level, line]) => [
      level,
      (line as { event?: string }).event,
    ]);

  it('is what `levels` says of its event, and none where that says false', async () => {
    expect(
      await eventsWith({ levels: { started: 'verbose', succeeded: 'warn', failed: false, dead: 'error' } }),
    ).toEqual([
      ['log', undefined],
      ['warn', 'succeeded'],
      ['log', undefined],
      ['log', undefined],
      ['error', 'dead'],
    ]);
    const verbose = await eventsWith({ level: 'verbose', levels: { started: 'verbose', enqueued: false } });
    expect(verbose[0]).toEqual(['verbose', 'started']);
  });

  it.each([
    [{ levels: { begun: 'log' } }, 'log.levels.begun'],
    [{ levels: { started: 'loud' } }, 'log.levels.started'],
    [{ level: 'toString' }, 'log.level'],
    [{ structured: 'json' }, 'log.structured'],
    [{ params: 'yes' }, 'log.params'],
    [{ format: 'json' }, 'log.format'],
  ])('and every other option is checked at the start: %j', async (log, option) => {
    const starting = start({ options: { log: log as never } });
    await expect(starting).rejects.toThrow(InvalidOptionError);
    await expect(starting).rejects.toThrow(`JobsModule.forRoot: ${option} is`);
  });
});

describe('params', () => {
  it('are in the lines about starts and failures where that is asked for', async () => {
    const text = (await callsWith({ params: true })).map(([, message]) => String(message));
    expect(text).toContain('task good started with {"fails":false,"secret":"hunter2"}');
    expect(text).toContainEqual(
      expect.stringMatching(/^task bad failed .* with \{"fails":true.*\}: Error: no; it is dead$/),
    );
    const lines = (await callsWith({ params: true, structured: true })).map(([, line]) => line);
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'started', params: { fails: false, secret: 'hunter2' } }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'dead', params: { fails: true, secret: 'hunter2' } }),
    );
  });

  it('are cut where they are long', async () => {
    @Job({ name: 'Long' })
    class Long {
      run(_: string): void {}
    }
    const app = await start({ providers: [Long], options: { log: { params: true } } });
    await app.jobs.enqueue(Long, 'x'.repeat(100_000));
    await app.advance(0);
    const begun = app.lines.find(({ message }) => message.includes('started with'))!;
    expect(begun.message.length).toBeLessThan(2_200);
    expect(begun.message).toMatch(/x…$/);
  });
});
