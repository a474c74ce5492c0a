import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventLevels } from '../../lib/job/log-settings.js';
import type { JobsOptions } from '../../lib/jobs.options.js';
import { resolveOptions } from '../../lib/resolve-options.js';
import {
  checkEnqueueOptions,
  type EnqueueDefaults,
  type EnqueueOptions,
} from '../../lib/task/enqueue-options.js';
import { dueOf, planEnqueue } from '../../lib/task/enqueue-plan.js';
import { InvalidOptionError, JobsError, shown } from '../../lib/task/errors.js';

const day = 86_400_000;

describe('The options of the module', () => {
  it('are all optional', () => {
    const resolved = {
      backend: undefined,
      prefix: 'jobs',
      runner: {
        queues: undefined,
        concurrency: 10,
        batch: Infinity,
        leaseMs: 20_000,
        pollIntervalMs: 5_000,
        shutdownTimeoutMs: 30_000,
        blockedLimitMs: 300_000,
        schedules: true,
        autoStart: true,
      },
      defaults: { timeZone: 'UTC' },
      retention: { succeeded: { ms: 0 }, dead: { ms: day }, cancelled: { ms: day } },
      payloadLimit: 1_048_576,
      enqueueTimeoutMs: 5_000,
      globalEnhancers: false,
      context: undefined,
      events: { scope: 'local' },
      log: { level: 'log', levels: eventLevels, shape: 'text', params: false },
    };
    expect(resolveOptions()).toEqual(resolved);
    expect(resolveOptions({})).toEqual(resolved);
  });

  it('that are undefined are not given', () => {
    const given = {
      ...{ backend: undefined, prefix: undefined, runner: undefined, defaults: undefined, log: undefined },
      ...{ retention: undefined, payloadLimit: undefined, enqueueTimeout: undefined },
    };
    expect(resolveOptions(given)).toEqual(resolveOptions());
    const nested: JobsOptions = {
      runner: { concurrency: undefined, lease: undefined, autoStart: undefined, queues: undefined },
      retention: { dead: undefined },
      defaults: { retries: undefined },
      log: { level: undefined },
    };
    expect(resolveOptions(nested)).toEqual(resolveOptions());
  });

  it('are read into milliseconds, spans and settings', () => {
    const resolved = resolveOptions({
      runner: { queues: ['a', { name: 'b', concurrency: 2 }], lease: '1m', batch: 5, concurrency: Infinity },
      retention: { succeeded: '1mo', dead: false, cancelled: 0 },
      enqueueTimeout: '1s',
      log: { level: 'warn' },
    });
    expect(resolved).toMatchObject({
      runner: {
        queues: [
          { name: 'a', concurrency: Infinity },
          { name: 'b', concurrency: 2 },
        ],
        leaseMs: 60_000,
        batch: 5,
        concurrency: Infinity,
      },
      retention: { succeeded: { months: 1 }, dead: { ms: Infinity }, cancelled: { ms: 0 } },
      enqueueTimeoutMs: 1_000,
      log: { level: 'warn' },
    });
    expect(resolveOptions({ runner: false, log: false })).toMatchObject({ runner: false, log: false });
  });

  it('cannot be changed once they are resolved', () => {
    const resolved = resolveOptions({ runner: { queues: ['a'] }, defaults: { retries: ['1s'] } });
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    for (const part of [resolved, resolved.runner, resolved.defaults, resolved.retention, resolved.log])
      expect(Object.isFrozen(part)).toBe(true);
    expect(isFrozen(resolved.runner)).toBe(true);
  });

  it.each([
    ...['backend', 'prefix', 'payloadLimit', 'enqueueTimeout', 'globalEnhancers', 'defaults', 'retention'],
    ...['log', 'runner', 'runner.queues', 'runner.concurrency', 'runner.batch', 'runner.lease'],
    ...['runner.pollInterval', 'runner.shutdownTimeout', 'runner.blockedLimit', 'runner.autoStart'],
    ...['defaults.queue'],
    ...['defaults.priority', 'defaults.retries', 'defaults.backoff', 'defaults.jitter', 'defaults.timeout'],
    ...['defaults.expires', 'defaults.keep', 'retention.succeeded', 'retention.dead', 'log.level'],
  ])('are good or end in a typed error, whatever is given as %s', (path) => {
    const [group, key] = path.split('.');
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom<unknown>(null, true, false, 0, 'x', '1s', [], {}, [null], [{}], [undefined], {
        toString: {},
      }),
    );
    fc.assert(
      fc.property(value, (given) => {
        const options = { [group!]: key === undefined ? given : { [key]: given } };
        try {
          resolveOptions(options as JobsOptions);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidOptionError);
          expect((error as Error).message).toMatch(/^JobsModule\.forRoot/);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('The options of an enqueue', () => {
  const names = ['id', 'replace', 'in', 'at', 'queue', 'priority', 'retries', 'backoff', 'jitter', 'timeout'];

  it('that pass the check can be planned; others end in a typed error that names one of them', () => {
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom<unknown>('5s', '1mo', -1, 0, 1, true, 'name', ['1s'], new Date(0), 0.5),
      fc.record({
        type: fc.constantFrom('fixed', 'exponential'),
        delay: fc.constantFrom<unknown>('1s', 5, 'x'),
      }),
    );
    const key = fc.constantFrom(...names, 'expires', 'keep');
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 3 }), (given) => {
        const options = given as EnqueueOptions;
        try {
          checkEnqueueOptions(options, 'Send');
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidOptionError);
          expect(Object.keys(given)).toContain((error as InvalidOptionError).option.split('.')[0]);
          return;
        }
        const plan = planEnqueue({}, options, 'Send');
        const due = dueOf(plan, Date.UTC(2030, 0, 1));
        expect(Number.isFinite('at' in due ? due.at : due.inMs)).toBe(true);
        expect(Number.isInteger(plan.retries)).toBe(true);
        if (plan.extra !== undefined) expect(JSON.parse(plan.extra)).toEqual(expect.any(Object));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(['mail', 'a.b', 'a-b', 'a_b', 'a:b', '{mail}.high', 'x'.repeat(100)])(
    'may name the queue %s',
    (queue) => {
      expect(() => checkEnqueueOptions({ queue }, 'Send')).not.toThrow();
    },
  );

  it('give whole milliseconds, however they are written: stores keep whole ones', () => {
    const plan = (call: EnqueueOptions) => planEnqueue({}, call, 'Send');
    expect([plan({ at: 1.6 }).at, plan({ at: new Date(1.6) }).at].every(Number.isInteger)).toBe(true);
    expect(dueOf(plan({ in: 1.6 }), 0)).toEqual({ inMs: 2 });
  });

  it('choose a time as one: either replaces what the job says', () => {
    const plan = (job: EnqueueDefaults, call?: EnqueueOptions) => {
      const { delay, at } = planEnqueue(job, call, 'Send');
      return { delay, at };
    };
    expect(plan({ in: '1s' }, { at: 5 })).toEqual({ delay: undefined, at: 5 });
    expect(plan({ at: 5 }, { in: '1s' })).toEqual({ delay: { ms: 1_000 }, at: undefined });
    expect(plan({ at: new Date(5) }, {})).toEqual({ delay: undefined, at: 5 });
    expect(plan({ in: '1mo' })).toEqual({ delay: { months: 1 }, at: undefined });
  });

  it('travel with the task only where the call says them: what the job says is read when it runs', () => {
    const job = { backoff: '9s', jitter: 0.5, timeout: '9s', retries: ['1s', '2s', '3s'] };
    expect(planEnqueue(job, undefined, 'Send')).toMatchObject({ retries: 3, extra: undefined });
    expect(planEnqueue(job, { priority: 1 }, 'Send').extra).toBeUndefined();
    const call = { retries: ['5s', '6s'], timeout: '1m', jitter: 0.1 };
    const { extra, retries } = planEnqueue(job, call, 'Send');
    expect(retries).toBe(2);
    expect(JSON.parse(extra!)).toEqual({ backoff: ['5s', '6s'], timeoutMs: 60_000, jitter: 0.1 });
  });
});

describe('A value in a message', () => {
  it('is short, on one line, and never the cause of another error', () => {
    const hostile = [
      new Proxy({}, { ownKeys: () => { throw new Error('no'); } }), // prettier-ignore
      { toJSON: () => { throw new Error('no'); } }, // prettier-ignore
      Object.create(null) as object,
      Symbol('s'),
      10n,
      () => 1,
    ];
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.constantFrom<unknown>(...hostile, cycle)), (value) => {
        const text = shown(value);
        expect(text.length).toBeLessThanOrEqual(101);
        expect(text).not.toContain('\n');
      }),
    );
    expect(shown('x\ny')).toBe('"x\\ny"');
    expect([NaN, Infinity, -0, 5n, undefined].map(shown)).toEqual([
      'NaN',
      'Infinity',
      '0',
      '5n',
      'undefined',
    ]);
  });

  it('stands in an error with a stable code and its own name', () => {
    const error = new InvalidOptionError('Send', 'in', 'x', 'a duration');
    expect(error).toBeInstanceOf(JobsError);
    expect(error).toMatchObject({
      name: 'InvalidOptionError',
      code: 'INVALID_OPTION',
      where: 'Send',
      value: 'x',
    });
    expect(error.message).toBe('Send: in is "x", but must be a duration');
  });
});
