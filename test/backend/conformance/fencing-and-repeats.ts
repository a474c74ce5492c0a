import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import { boom, leaseMs, leaseOf, type Setup, success } from './setup.js';

const outcomes: Outcome[] = [
  { type: 'succeeded', keepMs: 60_000 },
  { type: 'retry', error: boom, delayMs: 60_000 },
  { type: 'dead', error: boom, keepMs: 60_000 },
  { type: 'cancelled', reason: 'tested', keepMs: 60_000 },
  { type: 'snoozed', delayMs: 60_000 },
  { type: 'conflict', delayMs: 60_000 },
  { type: 'handed-back' },
  { type: 'parked', reason: 'unknown-job' },
];

export function describeFencingAndRepeats(setup: Setup): void {
  describe('an outcome of an older epoch', () => {
    it.each(outcomes)('is lost and changes nothing: $type', (outcome) =>
      setup(async ({ start, advance, claimOne, settle, get }) => {
        const old = await start({ id: 'a' });
        await advance(leaseMs);
        await claimOne();
        const before = await get('a');
        expect(await settle(old, outcome)).toBe('lost');
        expect(await settle(old, outcome, true)).toBe('lost');
        expect(await get('a')).toEqual(before);
      })(),
    );

    it.each(['waiting', 'dead'] as const)(
      'is settled where it is a success and nobody has claimed the task since it was recovered to %s',
      (state) =>
        setup(async ({ start, enqueue, advance, claimOne, claimIds, settle, get, counts }) => {
          const old = await start({ id: 'a', retries: state === 'dead' ? 0 : 3 });
          await advance(leaseMs);
          await enqueue({ id: 'urgent', priority: -1 });
          await claimOne();
          expect((await get('a'))?.state).toBe(state);
          const kept: Outcome = { type: 'succeeded', result: '1', keepMs: 60_000 };
          expect(await settle(old, kept)).toBe('settled');
          expect(await settle(old, kept, true)).toBe('settled');
          expect(await get('a')).toMatchObject({ state: 'succeeded', result: '1' });
          expect(await counts()).toEqual({ pending: 1, succeeded: 1 });
          expect(await claimIds()).toEqual([]);
        })(),
    );

    it.each(outcomes.filter(({ type }) => type !== 'succeeded'))(
      'is lost where the lease was recovered and it is no success: the task waits again as it is: $type',
      (outcome) =>
        setup(async ({ start, enqueue, advance, claimOne, settle, get }) => {
          const old = await start({ id: 'a' });
          await advance(leaseMs);
          await enqueue({ id: 'urgent', priority: -1 });
          await claimOne();
          const before = await get('a');
          expect(before?.state).toBe('waiting');
          expect(await settle(old, outcome, true)).toBe('lost');
          expect(await get('a')).toEqual(before);
        })(),
    );

    it(
      'is lost, success or not, once the recovery has ended the task as cancelled',
      setup(async ({ backend, queue, start, advance, claim, settle, get }) => {
        const old = await start({ id: 'a' });
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        await advance(leaseMs);
        await claim();
        const before = await get('a');
        expect(before?.state).toBe('cancelled');
        expect(await settle(old, success, true)).toBe('lost');
        expect(await get('a')).toEqual(before);
      }),
    );

    it(
      'does not reach a new task of the same id',
      setup(async ({ start, settle, get }) => {
        const old = await start({ id: 'a' });
        await settle(old, success);
        const fresh = await start({ id: 'a' });
        expect(await settle(old, { type: 'dead', error: boom, keepMs: 60_000 }, true)).toBe('lost');
        expect(await get('a')).toMatchObject({ state: 'pending', failures: 0 });
        expect(await settle(fresh, success)).toBe('settled');
      }),
    );
  });

  describe('an outcome that finds nothing to settle', () => {
    it(
      'is lost the first time, and settled as a repeat',
      setup(async ({ queue, settle }) => {
        const unknown = { queue, id: 'unknown', epoch: 1 };
        expect(await settle(unknown, success)).toBe('lost');
        expect(await settle(unknown, success, true)).toBe('settled');
      }),
    );

    it.each(outcomes)('is settled as a repeat of a stored one, which stays as it is: $type', (outcome) =>
      setup(async ({ start, advance, settle, get }) => {
        const lease = await start({ id: 'a' });
        expect(await settle(lease, outcome)).toBe('settled');
        const before = await get('a');
        await advance(1_000);
        expect(await settle(lease, outcome, true)).toBe('settled');
        expect(await get('a')).toEqual(before);
      })(),
    );

    it.each(outcomes)('is lost when it is no repeat but comes twice: $type', (outcome) =>
      setup(async ({ start, settle, get }) => {
        const lease = await start({ id: 'a' });
        await settle(lease, outcome);
        const before = await get('a');
        expect(await settle(lease, outcome)).toBe('lost');
        expect(await get('a')).toEqual(before);
      })(),
    );

    it(
      'is settled as a repeat of a success whose record is gone',
      setup(async ({ start, settle }) => {
        const lease = await start();
        await settle(lease, success);
        expect(await settle(lease, success, true)).toBe('settled');
      }),
    );

    it(
      'is lost when the task stands twice in one call: the first counts',
      setup(async ({ backend, start, get }) => {
        const lease = leaseOf(await start({ id: 'a' }));
        const twice = [
          { ...lease, outcome: { type: 'succeeded', keepMs: 60_000 } as const },
          { ...lease, outcome: { type: 'dead', error: boom, keepMs: 60_000 } as const },
        ];
        expect(await backend.tasks.settle(twice)).toEqual(['settled', 'lost']);
        expect(await get('a')).toMatchObject({ state: 'succeeded' });
      }),
    );
  });

  it(
    'a repeat whose first try did not arrive settles as the first would have',
    setup(async ({ start, settle, get }) => {
      const lease = await start({ id: 'a' });
      expect(await settle(lease, { type: 'succeeded', result: '1', keepMs: 60_000 }, true)).toBe('settled');
      expect(await get('a')).toMatchObject({ state: 'succeeded', result: '1' });
    }),
  );

  it(
    'one of ten outcomes sent at the same time is settled',
    setup(async ({ start, settle, get }) => {
      const lease = await start({ id: 'a' });
      const sent = Array.from({ length: 10 }, () =>
        settle(lease, { type: 'retry', error: boom, delayMs: 0 }),
      );
      expect((await Promise.all(sent)).sort()).toEqual([...Array(9).fill('lost'), 'settled']);
      expect(await get('a')).toMatchObject({ failures: 1 });
    }),
  );
}
