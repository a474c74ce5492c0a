import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import type { TaskLock } from '../../../lib/task/task-record.js';
import { recounting } from './lock-recount.js';
import { boom, type Bundle, leaseMs, lockOf, retryAtOnce, type Setup, success } from './setup.js';

const heldFromEnqueue = ['until_executing', 'until_executed', 'until_completed'] as const;
const returning: Outcome[] = [
  { type: 'snoozed', delayMs: 60_000 },
  { type: 'conflict', delayMs: 60_000 },
  { type: 'handed-back' },
  { type: 'parked', reason: 'unreadable' },
];
const ending: Outcome[] = [
  { type: 'succeeded', keepMs: 0 },
  { type: 'succeeded', keepMs: 60_000 },
  { type: 'dead', error: boom, keepMs: 60_000 },
  { type: 'cancelled', reason: 'tested', keepMs: 60_000 },
];

export function describeLocks(bare: Setup): void {
  const setup = recounting(bare);
  describe.each(heldFromEnqueue)('a lock %s', (phase) => {
    const lock = lockOf(phase);

    it(
      'is taken at the enqueue: a second task is rejected, told the holder, and not stored',
      setup(async ({ add, get, counts }) => {
        await add({ id: 'a', lock });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
        expect(await get('b')).toBeUndefined();
        expect(await counts()).toEqual({ waiting: 1 });
      }),
    );

    it(
      'is held by a scheduled task, too, and within one group',
      setup(async ({ add }) => {
        const added = await add({ id: 'a', lock, due: { inMs: 60_000 } }, { id: 'b', lock }, { id: 'c' });
        expect(added).toEqual([
          { status: 'enqueued' },
          { status: 'rejected', holder: 'a' },
          { status: 'enqueued' },
        ]);
      }),
    );

    it(
      'holds for its key and its queue',
      setup(async ({ queueNamed, add }) => {
        await add({ lock });
        expect(await add({ lock: { ...lock, key: 'other' } })).toEqual([{ status: 'enqueued' }]);
        expect(await add({ lock, queue: queueNamed('other') })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it.each(ending)('is free after $type', (outcome) =>
      setup(async ({ start, settle, add }) => {
        await settle(await start({ lock }), outcome);
        expect(await add({ lock })).toEqual([{ status: 'enqueued' }]);
      })(),
    );

    it.each(['cancel', 'remove'] as const)('is freed by %s of a waiting task', (action) =>
      setup(async ({ backend, queue, enqueue, add }) => {
        await enqueue({ id: 'a', lock });
        await backend.catalog[action]([{ queue, id: 'a' }]);
        expect(await add({ lock })).toEqual([{ status: 'enqueued' }]);
      })(),
    );

    it(
      'is freed when its task expires, dies of a lost lease or is cancelled while it runs',
      setup(async ({ backend, queue, add, claim, advance }) => {
        const locks = ['expired', 'lost', 'cancelled'].map((key) => ({ ...lock, key }));
        await add({ id: 'expired', lock: locks[0], expires: { inMs: 1_000 }, due: { inMs: 10_000 } });
        await add({ id: 'lost', lock: locks[1], retries: 0 }, { id: 'cancelled', lock: locks[2] });
        await claim();
        await backend.catalog.cancel([{ queue, id: 'cancelled' }]);
        await advance(leaseMs);
        await claim();
        expect(await add(...locks.map((freed) => ({ lock: freed })))).toEqual(
          Array(3).fill({ status: 'enqueued' }),
        );
      }),
    );

    it(
      'does not reject a repeated add that meets its own token',
      setup(async ({ add, task }) => {
        const sent = task({ id: 'a', lock });
        await add(sent);
        expect(await add(sent)).toEqual([{ status: 'enqueued' }]);
      }),
    );
  });

  describe('a lock until_executing', () => {
    const lock = lockOf('until_executing');

    it(
      'is freed by the first claim',
      setup(async ({ start, add }) => {
        await start({ id: 'a', lock });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it.each([...returning, retryAtOnce])('is not taken again after $type', (outcome) =>
      setup(async ({ start, settle, add }) => {
        await settle(await start({ id: 'a', lock }), outcome);
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'enqueued' }]);
        expect(await add({ id: 'c', lock })).toEqual([{ status: 'rejected', holder: 'b' }]);
      })(),
    );

    it(
      'of a later task is not freed by the runs of an earlier one',
      setup(async ({ start, settle, enqueue, claimOne, add }) => {
        const first = await start({ id: 'a', lock });
        await enqueue({ id: 'b', lock, due: { inMs: 600_000 } });
        await settle(first, retryAtOnce);
        expect(await claimOne()).toMatchObject({ id: 'a', attempt: 2 });
        expect(await add({ id: 'c', lock })).toEqual([{ status: 'rejected', holder: 'b' }]);
      }),
    );
  });

  describe('a lock until_executed', () => {
    const lock = lockOf('until_executed');

    it(
      'is held while its task runs',
      setup(async ({ start, add }) => {
        await start({ id: 'a', lock });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
      }),
    );

    it.each(returning)('is kept through $type', keptThrough(setup, lock));
    it('is kept through a lost lease', keptThroughLostLease(setup, lock));

    it(
      'is freed for others by a failed run, and taken again by the next one where it is free',
      setup(async ({ start, settle, claimOne, add }) => {
        await settle(await start({ id: 'a', lock }), retryAtOnce);
        const again = await claimOne();
        expect(again).toMatchObject({ id: 'a', attempt: 2 });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
        await settle(again, { type: 'retry', error: boom, delayMs: 600_000 });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it(
      'that another task took between two runs does not stop the second run, nor is it freed by it',
      setup(async ({ start, settle, enqueue, claimOne, add }) => {
        await settle(await start({ id: 'a', lock }), retryAtOnce);
        await enqueue({ id: 'b', lock, due: { inMs: 600_000 } });
        const again = await claimOne();
        expect(again).toMatchObject({ id: 'a', attempt: 2 });
        expect(again.conflictsWith).toBeUndefined();
        await settle(again, success);
        expect(await add({ id: 'c', lock })).toEqual([{ status: 'rejected', holder: 'b' }]);
      }),
    );
  });

  describe('a lock until_completed', () => {
    const lock = lockOf('until_completed');

    it.each([...returning, retryAtOnce])('is kept through $type', keptThrough(setup, lock));
    it('is kept through a lost lease', keptThroughLostLease(setup, lock));

    it(
      'is held while its task runs, at each attempt',
      setup(async ({ start, settle, claimOne, add }) => {
        await settle(await start({ id: 'a', lock }), retryAtOnce);
        const again = await claimOne();
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
        await settle(again, { type: 'dead', error: boom, keepMs: 60_000 });
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'enqueued' }]);
      }),
    );
  });

  describe('a lock while_executing', () => {
    const lock = lockOf('while_executing');
    const two = async ({ add, claim }: Bundle) => {
      expect(await add({ id: 'a', lock }, { id: 'b', lock })).toEqual(Array(2).fill({ status: 'enqueued' }));
      return (await claim()).tasks;
    };

    it(
      'is taken at the claim: the second task of the key is told the holder',
      setup(async (bundle) => {
        const [a, b] = await two(bundle);
        expect([a?.conflictsWith, b?.conflictsWith]).toEqual([undefined, 'a']);
        await bundle.enqueue({ id: 'c', lock });
        expect(await bundle.claimOne()).toMatchObject({ id: 'c', conflictsWith: 'a' });
      }),
    );

    it.each([...returning, ...ending, retryAtOnce])('is freed by $type', (outcome) =>
      setup(async ({ start, settle }) => {
        await settle(await start({ id: 'a', lock, priority: 1 }), outcome);
        expect((await start({ id: 'b', lock })).conflictsWith).toBeUndefined();
      })(),
    );

    it(
      'is not held, and so not freed, by a task in conflict',
      setup(async (bundle) => {
        const [a, b] = await two(bundle);
        expect(await bundle.settle(b!, { type: 'conflict', delayMs: 5_000 })).toBe('settled');
        expect(await bundle.start({ id: 'c', lock })).toMatchObject({ conflictsWith: 'a' });
        await bundle.settle(a!, success);
        await bundle.advance(5_000);
        const again = await bundle.claimOne();
        expect(again).toMatchObject({ id: 'b', attempt: 1 });
        expect(again.conflictsWith).toBeUndefined();
      }),
    );

    it(
      'is freed by a lost lease',
      setup(async (bundle) => {
        await bundle.start({ id: 'a', lock });
        await bundle.advance(leaseMs);
        await bundle.enqueue({ id: 'b', lock, priority: -1 });
        const [b, a] = (await bundle.claim()).tasks;
        expect([b?.conflictsWith, a?.conflictsWith]).toEqual([undefined, 'b']);
      }),
    );
  });
}

function keptThrough(setup: Setup, lock: TaskLock): (outcome: Outcome) => Promise<void> {
  return (outcome) =>
    setup(async ({ start, settle, add }) => {
      await settle(await start({ id: 'a', lock }), outcome);
      expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
    })();
}

function keptThroughLostLease(setup: Setup, lock: TaskLock): () => Promise<void> {
  return setup(async ({ start, enqueue, advance, claimIds, add, get }) => {
    await start({ id: 'a', lock });
    await advance(leaseMs);
    await enqueue({ id: 'urgent', priority: -1 });
    expect(await claimIds({ limit: 1 })).toEqual(['urgent']);
    expect(await get('a')).toMatchObject({ state: 'waiting', failures: 1 });
    expect(await add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
  });
}
