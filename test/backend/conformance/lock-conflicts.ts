import { describe, expect, it } from '@jest/globals';
import { boom, leaseMs, lockOf, retryAtOnce, type Setup, success } from './setup.js';

const lock = lockOf('until_completed');
const raise = lockOf('until_completed', { onConflict: 'raise' });
const replace = lockOf('until_completed', { onConflict: 'replace' });

export function describeLockConflicts(setup: Setup): void {
  describe('a lock conflict that raises', () => {
    it(
      'names the holder and drops the rest of its group',
      setup(async ({ enqueue, add, counts }) => {
        await enqueue({ id: 'holder', lock });
        expect(await add({ id: 'a' }, { id: 'b', lock: raise })).toEqual([
          { status: 'dropped' },
          { status: 'raised', holder: 'holder' },
        ]);
        expect(await counts()).toEqual({ waiting: 1 });
      }),
    );

    it(
      'does not arise where the lock is free, and the task then holds it',
      setup(async ({ add }) => {
        expect(await add({ id: 'a', lock: raise })).toEqual([{ status: 'enqueued' }]);
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
      }),
    );

    it(
      'arises between the tasks of one group, none of which is stored',
      setup(async ({ add, counts }) => {
        const added = await add({ id: 'a', lock: raise }, { id: 'b', lock: raise });
        expect(added).toEqual([{ status: 'dropped' }, { status: 'raised', holder: 'a' }]);
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'is not asked for a task whose id is taken: existing comes first',
      setup(async ({ add }) => {
        await add({ id: 'holder', lock }, { id: 'a' });
        expect(await add({ id: 'a', lock: raise }, { id: 'b' })).toEqual([
          { status: 'existing' },
          { status: 'enqueued' },
        ]);
        expect(await add({ id: 'a', lock })).toEqual([{ status: 'existing' }]);
      }),
    );

    it(
      'does not arise from a neighbour that is not stored itself',
      setup(async ({ enqueue, add }) => {
        await enqueue({ id: 'a' });
        const added = await add({ id: 'a', lock: raise }, { id: 'b', lock: raise });
        expect(added).toEqual([{ status: 'existing' }, { status: 'enqueued' }]);
      }),
    );
  });

  describe('a lock conflict that replaces', () => {
    it.each([
      ['waiting', 0],
      ['scheduled', 60_000],
    ] as const)('gives a %s holder the newest task under its own id', (state, inMs) =>
      setup(async ({ add, get, counts, claim, now, about }) => {
        await add({ id: 'holder', params: '1', lock: replace, due: { inMs } });
        expect(await counts()).toEqual({ [state]: 1 });
        const newest = { params: '2', priority: 4, retries: 9, extra: 'x' };
        expect(await add({ id: 'b', ...newest, lock: replace })).toEqual([
          { status: 'replaced', holder: 'holder' },
        ]);
        expect(await get('holder')).toMatchObject({ ...newest, state: 'waiting', dueAt: about(await now()) });
        expect(await get('b')).toBeUndefined();
        expect(await counts()).toEqual({ waiting: 1 });
        expect((await claim()).tasks).toMatchObject([{ id: 'holder', params: '2' }]);
      })(),
    );

    it(
      'keeps the lock with the holder',
      setup(async ({ add }) => {
        await add({ id: 'holder', lock: replace });
        await add({ id: 'b', lock: replace });
        expect(await add({ id: 'c', lock })).toEqual([{ status: 'rejected', holder: 'holder' }]);
      }),
    );

    it(
      'is rejected while the holder runs, and after it has run',
      setup(async ({ start, add, settle, get }) => {
        const lease = await start({ id: 'holder', params: '1', lock: replace });
        const rejected = [{ status: 'rejected', holder: 'holder' }];
        expect(await add({ id: 'b', params: '2', lock: replace })).toEqual(rejected);
        await settle(lease, { type: 'retry', error: boom, delayMs: 60_000 });
        expect(await add({ id: 'b', params: '2', lock: replace })).toEqual(rejected);
        expect(await get('holder')).toMatchObject({ state: 'scheduled', params: '1', attempt: 1 });
      }),
    );
  });

  describe('a lock with a time to live', () => {
    const short = lockOf('until_completed', { ttlMs: 20_000 });

    it(
      'of a task that has not started ends that long after its due time, and another takes it over',
      setup(async ({ add, advanceToJustBefore, advance }) => {
        await add({ id: 'a', lock: short, due: { inMs: 10_000 } });
        const missing = await advanceToJustBefore(30_000);
        expect(await add({ id: 'b', lock: short })).toEqual([{ status: 'rejected', holder: 'a' }]);
        await advance(missing);
        expect(await add({ id: 'b', lock: short })).toEqual([{ status: 'enqueued' }]);
        expect(await add({ id: 'c', lock: short })).toEqual([{ status: 'rejected', holder: 'b' }]);
      }),
    );

    it(
      'that was taken over is not freed by the task that held it before',
      setup(async ({ enqueue, advance, claimOne, settle, add, backend, queue }) => {
        await enqueue({ id: 'a', lock: short });
        await enqueue({ id: 'a2', lock: { ...short, key: 'k2' } });
        await advance(20_000);
        await enqueue({ id: 'b', lock: short });
        await enqueue({ id: 'b2', lock: { ...short, key: 'k2' } });
        const first = await claimOne();
        expect(first.id).toBe('a');
        await settle(first, success);
        await backend.catalog.remove([{ queue, id: 'a2' }]);
        expect(await add({ lock: short }, { lock: { ...short, key: 'k2' } })).toEqual([
          { status: 'rejected', holder: 'b' },
          { status: 'rejected', holder: 'b2' },
        ]);
      }),
    );

    it(
      'of a task that has started does not end',
      setup(async ({ start, settle, advance, add, renew }) => {
        const lease = await start({ id: 'a', lock: short });
        await advance(20_000);
        expect(await add({ lock: short })).toEqual([{ status: 'rejected', holder: 'a' }]);
        await renew(lease);
        await settle(lease, retryAtOnce);
        await advance(3 * leaseMs);
        expect(await add({ lock: short })).toEqual([{ status: 'rejected', holder: 'a' }]);
      }),
    );
  });

  describe('a lock and an id', () => {
    it(
      'let a task that replaces itself keep the lock',
      setup(async ({ add, get }) => {
        await add({ id: 'a', lock, params: '1' });
        expect(await add({ id: 'a', lock, params: '2', replace: true })).toEqual([{ status: 'replaced' }]);
        expect(await get('a')).toMatchObject({ params: '2' });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
      }),
    );

    it(
      'let a task that replaces itself change the lock: the old key is free, the new one taken',
      setup(async ({ add }) => {
        const next = { ...lock, key: 'next' };
        await add({ id: 'a', lock });
        await add({ id: 'a', lock: next, replace: true });
        expect(await add({ id: 'b', lock: next }, { id: 'c', lock })).toEqual([
          { status: 'rejected', holder: 'a' },
          { status: 'enqueued' },
        ]);
      }),
    );

    it(
      'reject a replacement whose key another task holds, and leave the old task as it is',
      setup(async ({ add, get }) => {
        await add({ id: 'holder', lock }, { id: 'a', params: '1' });
        expect(await add({ id: 'a', params: '2', lock, replace: true })).toEqual([
          { status: 'rejected', holder: 'holder' },
        ]);
        expect(await get('a')).toMatchObject({ params: '1', state: 'waiting' });
      }),
    );

    it.each(['dead', 'cancelled'] as const)(
      'let retry of a %s task take the lock again where it is free',
      (state) =>
        setup(async ({ backend, queue, bringTo, add }) => {
          await bringTo(state, { id: 'a', lock });
          expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
          expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
        })(),
    );

    it(
      'leave a dead task alone whose lock belongs to another by now: retry answers taken',
      setup(async ({ backend, queue, bringTo, enqueue, get, add }) => {
        await bringTo('dead', { id: 'a', lock });
        await enqueue({ id: 'b', lock });
        const before = await get('a');
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['taken']);
        expect(await get('a')).toEqual(before);
        expect(await add({ id: 'c', lock })).toEqual([{ status: 'rejected', holder: 'b' }]);
      }),
    );

    it(
      'let retry of a parked task keep the lock it held',
      setup(async ({ backend, queue, bringTo, add }) => {
        await bringTo('parked', { id: 'a', lock });
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
      }),
    );
  });
}
