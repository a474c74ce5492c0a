import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import { boom, finalStates, settings, type Setup } from './setup.js';

const unsuccessful: Outcome[] = [
  { type: 'retry', error: boom, delayMs: 0 },
  { type: 'dead', error: boom, keepMs: 60_000 },
  { type: 'cancelled', reason: 'tested', keepMs: 60_000 },
  { type: 'snoozed', delayMs: 0 },
  { type: 'conflict', delayMs: 0 },
  { type: 'handed-back' },
  { type: 'parked', reason: 'unknown-job' },
];

export function describeCancel(setup: Setup): void {
  describe('cancel', () => {
    it.each(['scheduled', 'waiting', 'parked'] as const)('ends a %s task', (state) =>
      setup(async ({ backend, queue, bringTo, get, counts, claimIds, advance, now, about }) => {
        await bringTo(state, { id: 'a' });
        expect(await backend.catalog.cancel([{ queue, id: 'a' }])).toEqual(['done']);
        const finished = { state: 'cancelled', reason: 'cancelled', finishedAt: about(await now()) };
        expect(await get('a')).toMatchObject(finished);
        expect(await counts()).toEqual({ cancelled: 1 });
        await advance(60_000);
        expect(await claimIds({ declares: ['Job'] })).toEqual([]);
      })(),
    );

    it(
      'asks a pending task to stop, which goes on',
      setup(async ({ backend, queue, start, get, counts }) => {
        await start({ id: 'a' });
        expect(await backend.catalog.cancel([{ queue, id: 'a' }])).toEqual(['requested']);
        expect(await get('a')).toMatchObject({ state: 'pending', cancelRequested: true });
        expect(await counts()).toEqual({ pending: 1 });
      }),
    );

    it.each(finalStates)('leaves a %s task', (state) =>
      setup(async ({ backend, queue, bringTo, get }) => {
        await bringTo(state, { id: 'a' });
        const before = await get('a');
        expect(await backend.catalog.cancel([{ queue, id: 'a' }])).toEqual(['left']);
        expect(await get('a')).toEqual(before);
      })(),
    );

    it(
      'answers per task, in order',
      setup(async ({ backend, queue, bringTo, enqueue }) => {
        await bringTo('dead', { id: 'dead' });
        await bringTo('pending', { id: 'pending' });
        await enqueue({ id: 'waiting' });
        const refs = ['unknown', 'waiting', 'pending', 'dead'].map((id) => ({ queue, id }));
        expect(await backend.catalog.cancel(refs)).toEqual(['missing', 'done', 'requested', 'left']);
      }),
    );

    it(
      'lets a task that succeeds all the same succeed',
      setup(async ({ backend, queue, start, settle, get }) => {
        const lease = await start({ id: 'a' });
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        expect(await settle(lease, { type: 'succeeded', result: '1', keepMs: 60_000 })).toBe('settled');
        expect(await get('a')).toMatchObject({ state: 'succeeded', result: '1' });
      }),
    );

    it.each(unsuccessful)('ends a task that was asked to stop when it settles as $type', (outcome) =>
      setup(async ({ backend, queue, start, settle, get, counts, claimIds, advance }) => {
        const lease = await start({ id: 'a' });
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        expect(await settle(lease, outcome)).toBe('cancelled');
        // Told again, as where the answer was lost.
        expect(await settle(lease, outcome, true)).toBe('cancelled');
        expect(await get('a')).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
        expect(await claimIds({ declares: ['Job'] })).toEqual([]);
        expect(await counts()).toEqual({ cancelled: 1 });
        await advance(settings.cancelledKeepMs);
        expect(await get('a')).toBeUndefined();
      })(),
    );

    it(
      'does not change the answer to an outcome that was stored before it',
      setup(async ({ backend, queue, start, settle, get }) => {
        const lease = await start({ id: 'a' });
        expect(await settle(lease, { type: 'snoozed', delayMs: 60_000 })).toBe('settled');
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        expect(await get('a')).toMatchObject({ state: 'cancelled' });
        expect(await settle(lease, { type: 'snoozed', delayMs: 60_000 }, true)).toBe('settled');
      }),
    );

    it(
      'is forgotten when the task starts anew',
      setup(async ({ backend, queue, start, settle, claimOne, renew, get }) => {
        const lease = await start({ id: 'a' });
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        await settle(lease, { type: 'handed-back' });
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
        const again = await claimOne();
        expect((await renew(again)).cancelled).toEqual([]);
        await settle(again, { type: 'snoozed', delayMs: 60_000 });
        expect(await get('a')).toMatchObject({ state: 'scheduled' });
      }),
    );
  });
}
