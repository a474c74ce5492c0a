import { describe, expect, it } from '@jest/globals';
import { boom, endingIn, finalStates, leaseMs, retryAtOnce, settings, type Setup } from './setup.js';

const tenYears = 10 * 365 * 86_400_000;

export function describeExpiryAndRetention(setup: Setup): void {
  describe('a task that expires', () => {
    it(
      'is claimed until just before that moment',
      setup(async ({ enqueue, advanceToJustBefore, claimIds }) => {
        const id = await enqueue({ due: { inMs: 10_000 }, expires: { inMs: 20_000 } });
        await advanceToJustBefore(30_000);
        expect(await claimIds()).toEqual([id]);
      }),
    );

    it(
      'is cancelled at that moment instead of claimed, and the next one is claimed',
      setup(async ({ add, advance, claimIds, get, now, about }) => {
        await add({ id: 'a', due: { inMs: 10_000 }, expires: { inMs: 20_000 } });
        await add({ id: 'b', due: { inMs: 11_000 } });
        await advance(30_000);
        expect(await claimIds({ limit: 1 })).toEqual(['b']);
        const finished = { state: 'cancelled', reason: 'expired', finishedAt: about(await now()) };
        expect(await get('a')).toMatchObject({ ...finished, attempt: 0, failures: 0 });
        await advance(settings.cancelledKeepMs);
        expect(await get('a')).toBeUndefined();
      }),
    );

    it(
      'is cancelled at a given point in time as well, and frees its id',
      setup(async ({ add, now, advance, claim, get }) => {
        await add({ id: 'a', expires: { at: (await now()) + 20_000 } });
        await advance(20_000);
        expect(await claim()).toEqual({ tasks: [], nextInMs: [Infinity] });
        expect(await get('a')).toMatchObject({ state: 'cancelled', reason: 'expired' });
        expect(await add({ id: 'a' })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it(
      'does so before its first attempt only: a retried or recovered one does not expire',
      setup(async ({ start, settle, advance, claimIds }) => {
        const expires = { inMs: 20_000 };
        await start({ id: 'recovered', expires });
        await settle(await start({ id: 'retried', expires }), retryAtOnce);
        await advance(leaseMs);
        expect((await claimIds()).sort()).toEqual(['recovered', 'retried']);
      }),
    );

    it.each(['dead', 'cancelled', 'parked'] as const)(
      'does so no more where it was %s and is retried: its time has come and gone',
      (state) =>
        setup(async ({ backend, queue, start, settle, advance, claimIds, get }) => {
          await settle(await start({ id: 'a', expires: { inMs: 20_000 } }), endingIn(state, 600_000));
          await advance(30_000);
          expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
          expect((await get('a'))?.expiresAt).toBeUndefined();
          expect(await claimIds()).toEqual(['a']);
        })(),
    );

    it(
      'runs where it has expired and is retried, and does not expire again while it waits',
      setup(async ({ backend, queue, enqueue, advance, claimIds, get }) => {
        await enqueue({ id: 'a', expires: { inMs: 20_000 } });
        await advance(30_000);
        expect(await claimIds()).toEqual([]);
        expect(await get('a')).toMatchObject({ state: 'cancelled', reason: 'expired' });
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
        await advance(60_000);
        expect(await claimIds()).toEqual(['a']);
      }),
    );

    it(
      'does not stand in the way of others, however many they are',
      setup(async ({ add, advance, claimIds, counts }) => {
        await add(...Array.from({ length: 300 }, () => ({ expires: { inMs: 1_000 } })), { id: 'live' });
        await advance(60_000);
        const claimed: string[] = [];
        for (let round = 0; round < 100 && claimed.length === 0; round++)
          claimed.push(...(await claimIds({ limit: 1 })));
        expect(claimed).toEqual(['live']);
        expect(await counts()).toEqual({ cancelled: 300, pending: 1 });
      }),
    );
  });

  describe('retention', () => {
    it.each(finalStates)('lets a %s task vanish when its time is over, and not before', (type) =>
      setup(async ({ start, settle, advanceToJustBefore, advance, get, counts, list, claim }) => {
        await settle(await start({ id: 'a' }), endingIn(type, 60_000));
        const missing = await advanceToJustBefore(60_000);
        await claim();
        expect(await get('a')).toMatchObject({ state: type });
        expect(await counts()).toEqual({ [type]: 1 });
        await advance(missing);
        expect(await get('a')).toBeUndefined();
        await claim();
        expect(await counts()).toEqual({});
        expect(await list(type)).toEqual([]);
      })(),
    );

    it.each(finalStates)('takes a %s task past its time for gone, also before anything was cleaned', (type) =>
      setup(async ({ backend, queue, start, settle, advance, add }) => {
        await settle(await start({ id: 'a' }), endingIn(type, 60_000));
        await advance(60_000);
        const refs = [{ queue, id: 'a' }];
        expect(await backend.catalog.retry(refs)).toEqual(['missing']);
        expect(await backend.catalog.cancel(refs)).toEqual(['missing']);
        expect(await backend.catalog.runNow(refs)).toEqual(['missing']);
        expect(await add({ id: 'a', replace: true })).toEqual([{ status: 'enqueued' }]);
      })(),
    );

    it.each(finalStates)('keeps a %s task for good when asked to', (type) =>
      setup(async ({ start, settle, advance, claim, get }) => {
        await settle(await start({ id: 'a' }), endingIn(type, Infinity));
        await advance(tenYears);
        await claim();
        expect(await get('a')).toMatchObject({ state: type });
      })(),
    );

    it(
      'forgets each task at its own time',
      setup(async ({ start, settle, advance, claim, list }) => {
        await settle(await start({ id: 'long' }), { type: 'dead', error: boom, keepMs: 90_000 });
        await settle(await start({ id: 'short' }), { type: 'dead', error: boom, keepMs: 30_000 });
        await settle(await start({ id: 'middle' }), { type: 'dead', error: boom, keepMs: 60_000 });
        await advance(45_000);
        await claim();
        expect((await list('dead')).sort()).toEqual(['long', 'middle']);
        await advance(30_000);
        await claim();
        expect(await list('dead')).toEqual(['long']);
      }),
    );

    it(
      'touches no live task',
      setup(async ({ add, start, advance, claim, counts }) => {
        await start();
        await add({}, {}, { due: { inMs: 2 * tenYears } });
        await advance(tenYears);
        await claim({ limit: 1 });
        expect(await counts()).toEqual({ pending: 1, waiting: 2, scheduled: 1 });
      }),
    );
  });
}
