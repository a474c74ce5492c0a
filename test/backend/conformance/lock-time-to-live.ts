import { describe, expect, it } from '@jest/globals';
import { recounting } from './lock-recount.js';
import { boom, leaseMs, lockOf, retryAtOnce, type Setup, success } from './setup.js';

export function describeLockTimeToLive(bare: Setup): void {
  const setup = recounting(bare);
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

    it(
      'counts from a due time that was moved',
      setup(async ({ backend, queue, add, advance }) => {
        await add({ id: 'a', lock: short, due: { inMs: 600_000 } });
        await backend.catalog.runNow([{ queue, id: 'a' }]);
        await advance(15_000);
        expect(await add({ id: 'b', lock: short })).toEqual([{ status: 'rejected', holder: 'a' }]);
        await advance(10_000);
        expect(await add({ id: 'b', lock: short })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it(
      'that ended while nobody took it is had again by the start',
      setup(async ({ backend, queue, enqueue, advance, claimOne, add }) => {
        await enqueue({ id: 'a', lock: short });
        await advance(25_000);
        expect(await backend.catalog.lock({ queue, key: short.key })).toBeUndefined();
        expect((await claimOne()).id).toBe('a');
        expect(await add({ id: 'b', lock: short })).toEqual([{ status: 'rejected', holder: 'a' }]);
      }),
    );

    it.each(['until_executed', 'until_completed'] as const)(
      'that ended and was taken by another, %s, is not had again by the start, though that one has finished',
      (phase) =>
        setup(async ({ enqueue, advance, claimOne, settle, add }) => {
          const lock = { ...short, phase };
          await enqueue({ id: 'a', lock });
          await advance(25_000);
          await enqueue({ id: 'b', lock, priority: -1 });
          await settle(await claimOne(), success);
          expect((await claimOne()).id).toBe('a');
          expect(await add({ id: 'c', lock })).toEqual([{ status: 'enqueued' }]);
        })(),
    );

    it(
      'that ended does not stop a task that raises or replaces, and that one holds it then',
      setup(async ({ enqueue, advance, add, get }) => {
        for (const onConflict of ['raise', 'replace'] as const) {
          const lock = { ...short, key: onConflict, onConflict };
          await enqueue({ id: `old ${onConflict}`, lock, params: '1' });
          await advance(25_000);
          expect(await add({ id: `new ${onConflict}`, lock })).toEqual([{ status: 'enqueued' }]);
          expect(await get(`old ${onConflict}`)).toMatchObject({ state: 'waiting', params: '1' });
          expect(await add({ lock: { ...lock, onConflict: 'reject' } })).toEqual([
            { status: 'rejected', holder: `new ${onConflict}` },
          ]);
        }
      }),
    );

    it(
      'is not ended by a retry of another task that is claimed together with its own',
      setup(async ({ start, settle, enqueue, claimIds, add, advance }) => {
        const executed = lockOf('until_executed', { ttlMs: 20_000 });
        await settle(await start({ id: 'a', lock: executed }), {
          type: 'retry',
          error: boom,
          delayMs: 1_000,
        });
        await enqueue({ id: 'b', lock: executed, due: { inMs: 10_000 } });
        await advance(12_000);
        expect(await claimIds()).toEqual(['a', 'b']);
        expect(await add({ id: 'c', lock: executed })).toEqual([{ status: 'rejected', holder: 'b' }]);
      }),
    );
  });
}
