import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidOptionError } from '../../lib/task/errors.js';
import {
  backoffMs,
  checkBackoff,
  defaultBackoff,
  defaultRetries,
  nextAttemptInMs,
  withJitter,
  type Backoff,
  type FailedAttempt,
  type RetryRules,
} from '../../lib/task/retry-policy.js';

const error = new Error('no');
const delays = (backoff: Backoff, failures: number) =>
  Array.from({ length: failures }, (_, index) => backoffMs(backoff, index + 1, error, 'Send'));

describe('The delay after a failure', () => {
  it('is 2·n² seconds by default, for 4 retries: 2, 8, 18, 32', () => {
    expect(defaultRetries).toBe(4);
    expect(delays(defaultBackoff, 4)).toEqual([2_000, 8_000, 18_000, 32_000]);
  });

  it.each<[Backoff, number[]]>([
    ['5s', [5_000, 5_000, 5_000]],
    [100, [100, 100, 100]],
    [0, [0, 0, 0]],
    [
      ['1s', 5, '1m'],
      [1_000, 5, 60_000, 60_000, 60_000],
    ],
    [{ type: 'fixed', delay: '1s', factor: 9 }, [1_000, 1_000, 1_000]],
    [{ type: 'exponential', delay: '1s' }, [1_000, 2_000, 4_000, 8_000]],
    [{ type: 'exponential', delay: 100, factor: 3, max: '1s' }, [100, 300, 900, 1_000, 1_000]],
    [{ type: 'polynomial', delay: '1s' }, [1_000, 4_000, 9_000]],
    [{ type: 'polynomial', delay: 10, factor: 3 }, [10, 80, 270]],
    [{ type: 'polynomial', delay: 10, factor: 0.5 }, [10, 14, 17, 20]],
    [(failures) => failures * 7, [7, 14, 21]],
    [() => '2s', [2_000]],
  ])('by %j is as it says', (backoff, expected) => {
    expect(delays(backoff, expected.length)).toEqual(expected);
  });

  it('by a function may depend on the error', () => {
    const backoff: Backoff = (_, thrown) => (thrown === error ? '1s' : '2s');
    expect(backoffMs(backoff, 1, error, 'Send')).toBe(1_000);
    expect(backoffMs(backoff, 1, undefined, 'Send')).toBe(2_000);
  });

  it('is a whole number of milliseconds that a store can hold, whatever the rule and the count', () => {
    const rule = fc.record(
      {
        type: fc.constantFrom('fixed' as const, 'exponential' as const, 'polynomial' as const),
        delay: fc.nat({ max: 86_400_000 }),
        factor: fc.oneof(
          fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
          fc.integer({ min: 1, max: 10 }),
        ),
        max: fc.nat({ max: 86_400_000 }),
      },
      { requiredKeys: ['type', 'delay'] },
    );
    fc.assert(
      fc.property(rule, fc.integer({ min: 1, max: 1_000_000 }), (backoff, failures) => {
        checkBackoff(backoff, 'Send');
        const ms = backoffMs(backoff, failures, error, 'Send');
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(backoff.max ?? 365 * 86_400_000);
      }),
      { numRuns: 2_000, examples: [[{ type: 'exponential', delay: 0 }, 2_000]] },
    );
  });

  it('only grows by jitter, by its share at most', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(), share, share, (delay, jitter, random) => {
        const ms = withJitter(delay, jitter, () => random);
        expect(ms).toBeGreaterThanOrEqual(delay);
        expect(ms).toBeLessThanOrEqual(Math.ceil(delay * (1 + jitter)));
      }),
    );
    expect(withJitter(1_000, 0.5, () => 0.5)).toBe(1_250);
    expect(withJitter(1_000, 0, () => 0.9)).toBe(1_000);
  });
});

describe('Whether a failed task runs again', () => {
  const next = async (attempt: Partial<FailedAttempt>, rules: Partial<RetryRules>) => {
    const reports: string[] = [];
    const delayMs = await nextAttemptInMs(
      { job: 'Send', attempt: 1, failures: 1, error, mayRetry: true, ...attempt },
      { retries: 4, backoff: defaultBackoff, jitter: 0, ...rules },
      (rule, thrown) => reports.push(`${rule}: ${(thrown as Error).message}`),
    );
    return { delayMs, reports };
  };

  it('is limited by retries, which count the attempts and not the failures', async () => {
    expect(await next({ attempt: 4, failures: 4 }, {})).toEqual({ delayMs: 32_000, reports: [] });
    expect(await next({ attempt: 5, failures: 5 }, {})).toEqual({ delayMs: undefined, reports: [] });
    expect((await next({ attempt: 1 }, { retries: 0 })).delayMs).toBeUndefined();
    // A failure from before a `retry` of the catalog, or a lost lease: the delay goes by failures.
    expect((await next({ attempt: 2, failures: 3 }, {})).delayMs).toBe(18_000);
  });

  it('is denied by the handler, whatever the rules say', async () => {
    const rules = { shouldRetry: () => true, retryDelay: () => 1 };
    expect((await next({ mayRetry: false }, rules)).delayMs).toBeUndefined();
  });

  it('is decided by shouldRetry within retries, with the count and the error', async () => {
    const asked: unknown[] = [];
    const shouldRetry = async (failures: number, thrown: unknown) => {
      asked.push([failures, thrown]);
      return failures < 2;
    };
    expect((await next({}, { shouldRetry })).delayMs).toBe(2_000);
    expect((await next({ attempt: 2, failures: 2 }, { shouldRetry })).delayMs).toBeUndefined();
    expect(asked).toEqual([
      [1, error],
      [2, error],
    ]);
    expect((await next({ attempt: 5 }, { shouldRetry: () => true })).delayMs).toBeUndefined();
  });

  it('and when: retryDelay wins over backoff', async () => {
    expect((await next({ failures: 3 }, { retryDelay: async (n) => `${n}m` })).delayMs).toBe(180_000);
    expect((await next({}, { retryDelay: () => 0 })).delayMs).toBe(0);
  });

  it('does not suffer from rules that throw or answer nonsense: they are reported and passed over', async () => {
    const throws = (what: string) => () => {
      throw new Error(what);
    };
    expect(await next({}, { shouldRetry: throws('a') })).toEqual({
      delayMs: 2_000,
      reports: ['shouldRetry: a'],
    });
    expect(await next({}, { retryDelay: throws('b'), backoff: '5s' })).toEqual({
      delayMs: 5_000,
      reports: ['retryDelay: b'],
    });
    expect(await next({}, { retryDelay: throws('b'), backoff: throws('c') })).toEqual({
      delayMs: 2_000,
      reports: ['retryDelay: b', 'backoff: c'],
    });
    for (const nonsense of [NaN, -1, Infinity, 'soon', undefined, null, {}]) {
      const { delayMs, reports } = await next({}, { retryDelay: () => nonsense as never, backoff: '5s' });
      expect(delayMs).toBe(5_000);
      expect(reports).toEqual([expect.stringMatching(/^retryDelay: Send: retryDelay is /)]);
    }
    expect((await next({}, { backoff: (() => 'soon') as Backoff })).delayMs).toBe(2_000);
  });
});

describe('A backoff that cannot be read', () => {
  it.each([
    ...['', 'x', '1mo', -1, NaN, null, undefined, true, [], ['1s', 'x'], [undefined], [['1s']]],
    ...[{}, { type: 'fixed' }, { type: 'cubic', delay: 1 }, { type: 'fixed', delay: '1mo' }],
    ...[0, -1, NaN, Infinity, '2'].map((factor) => ({ type: 'exponential', delay: 1, factor })),
    { type: 'exponential', delay: 1, max: 'x' },
    { type: 'exponential', delay: 1, maximum: 5 },
  ])('is refused where it is written: %p', (backoff) => {
    expect(() => checkBackoff(backoff, 'Send')).toThrow(InvalidOptionError);
    expect(() => checkBackoff(backoff, 'Send')).toThrow(/^Send: backoff/);
  });

  it.each<Backoff>([
    0,
    '1s',
    ['1s', 0],
    () => 1,
    { type: 'fixed', delay: 0 },
    { type: 'polynomial', delay: '1s', factor: 0.5, max: '1d' },
  ])('is not this: %p', (backoff) => {
    expect(() => checkBackoff(backoff, 'Send')).not.toThrow();
  });
});
