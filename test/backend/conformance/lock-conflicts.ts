import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import type { TaskLock } from '../../../lib/task/task-record.js';
import { recounting } from './lock-recount.js';
import { boom, type Bundle, endingIn, leaseMs, lockOf, type Setup } from './setup.js';

const lock = lockOf('until_completed');
const raise = lockOf('until_completed', { onConflict: 'raise' });
const replace = lockOf('until_completed', { onConflict: 'replace' });

const settled =
  (outcome: Outcome) =>
  async ({ start, settle }: Bundle) => {
    await settle(await start({ id: 'holder', params: '1', lock: replace }), outcome);
  };
const lost = async ({ start, advance, enqueue, claimOne }: Bundle) => {
  await start({ id: 'holder', params: '1', lock: replace });
  await advance(leaseMs);
  await enqueue({ priority: -1 });
  await claimOne();
};
/** What a holder may be about, and whether it gives way to the newest. */
const holders: [what: string, bring: (bundle: Bundle) => Promise<unknown>, givesWay: boolean][] = [
  ['waits', ({ enqueue }) => enqueue({ id: 'holder', params: '1', lock: replace }), true],
  ['is scheduled', ({ bringTo }) => bringTo('scheduled', { id: 'holder', params: '1', lock: replace }), true],
  ['is parked', settled(endingIn('parked', 0)), true],
  ['runs', ({ start }) => start({ id: 'holder', params: '1', lock: replace }), false],
  ['waits for its retry', settled({ type: 'retry', error: boom, delayMs: 60_000 }), false],
  ['is snoozed', settled({ type: 'snoozed', delayMs: 60_000 }), false],
  ['was handed back', settled({ type: 'handed-back' }), false],
  ['has lost its lease', lost, false],
];

export function describeLockConflicts(bare: Setup): void {
  const setup = recounting(bare);
  describe.each(holders)('a lock whose holder %s', (_what, bring, givesWay) => {
    it(
      'rejects, raises, and gives the newest the place of what has not started',
      setup(async (bundle) => {
        const { add, get } = bundle;
        await bring(bundle);
        const before = await get('holder');
        expect(await add({ id: 'b', params: '2', lock })).toEqual([{ status: 'rejected', holder: 'holder' }]);
        expect(await add({ id: 'b', params: '2', lock: raise })).toEqual([
          { status: 'raised', holder: 'holder' },
        ]);
        expect(await get('holder')).toEqual(before);
        expect(await add({ id: 'b', params: '2', lock: replace })).toEqual([
          { status: givesWay ? 'replaced' : 'rejected', holder: 'holder' },
        ]);
        if (givesWay)
          expect(await get('holder')).toMatchObject({ state: 'waiting', attempt: 0, params: '2' });
        else expect(await get('holder')).toEqual(before);
        expect(await get('b')).toBeUndefined();
      }),
    );
  });

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
      'stops its own group, and none that is stored in the same call',
      setup(async ({ backend, enqueue, task, list }) => {
        await enqueue({ id: 'holder', lock });
        const free = { ...raise, key: 'free' };
        const groups = [
          [task({ id: 'a' })],
          [task({ id: 'b', lock: raise })],
          [task({ id: 'c', lock: free })],
          [task({ id: 'd' }), task({ id: 'e', lock: free })],
          [task({ id: 'f', lock: raise })],
          [task({ id: 'g', lock: free }), task({ id: 'h' })],
        ];
        const [a, b, c, , f] = await backend.tasks.add(groups);
        expect([a, b, c, f]).toEqual([
          [{ status: 'enqueued' }],
          [{ status: 'raised', holder: 'holder' }],
          [{ status: 'enqueued' }],
          [{ status: 'raised', holder: 'holder' }],
        ]);
        expect((await list('waiting')).toSorted()).toEqual(['a', 'c', 'holder']);
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

  describe('a lock conflict within a group, of which one raises,', () => {
    const keyed = (key: string, fields: Partial<TaskLock> = {}) =>
      lockOf('until_completed', { key, ...fields });
    const raising = (key: string) => keyed(key, { onConflict: 'raise' });

    it(
      'does not arise over a lock that an earlier one gives up by its replacement',
      setup(async ({ enqueue, add }) => {
        await enqueue({ id: 'a', lock: keyed('k1') });
        const added = await add(
          { id: 'a', lock: raising('k2'), replace: true },
          { id: 'b', lock: raising('k1') },
        );
        expect(added).toEqual([{ status: 'replaced' }, { status: 'enqueued' }]);
        expect(await add({ id: 'c', lock: raising('k2') })).toEqual([{ status: 'raised', holder: 'a' }]);
      }),
    );

    it(
      'does not arise over a lock that one of the group gives up by a later one of its id',
      setup(async ({ add }) => {
        const added = await add(
          { id: 'a', lock: raising('k1') },
          { id: 'a', replace: true },
          { id: 'b', lock: raising('k1') },
        );
        expect(added.map(({ status }) => status)).toEqual(['enqueued', 'replaced', 'enqueued']);
      }),
    );

    it(
      'arises over a lock that an earlier one takes by its replacement',
      setup(async ({ enqueue, add, get }) => {
        await enqueue({ id: 'a', lock: keyed('k1') });
        const added = await add(
          { id: 'a', lock: raising('k2'), replace: true },
          { id: 'b', lock: raising('k2') },
        );
        expect(added).toEqual([{ status: 'dropped' }, { status: 'raised', holder: 'a' }]);
        expect((await get('a'))?.lock).toMatchObject({ key: 'k1' });
      }),
    );

    it(
      'arises for an id that an earlier one was not stored under',
      setup(async ({ enqueue, add, counts }) => {
        await enqueue({ id: 'h1', lock: keyed('k1') });
        await enqueue({ id: 'h2', lock: keyed('k2') });
        const added = await add(
          { id: 'a', lock: keyed('k1') },
          { id: 'a', lock: raising('k2') },
          { id: 'b' },
        );
        expect(added).toEqual([
          { status: 'dropped' },
          { status: 'raised', holder: 'h2' },
          { status: 'dropped' },
        ]);
        expect(await counts()).toEqual({ waiting: 2 });
      }),
    );

    it(
      'does not arise over a lock whose time to live is over at once',
      setup(async ({ add, now }) => {
        const past = { due: { at: (await now()) - 60_000 }, lock: keyed('k1', { ttlMs: 10_000 }) };
        const added = await add({ id: 'a', ...past }, { id: 'b', lock: raising('k1') });
        expect(added).toEqual([{ status: 'enqueued' }, { status: 'enqueued' }]);
      }),
    );

    it(
      'names the holder under which an earlier one of the group was stored',
      setup(async ({ enqueue, add, get }) => {
        await enqueue({ id: 'a', params: '1', lock: keyed('k1') });
        const replacing = { id: 'b', params: '2', lock: keyed('k1', { onConflict: 'replace' }) };
        expect(
          await add(replacing, { id: 'b', lock: raising('k2') }, { id: 'c', lock: raising('k1') }),
        ).toEqual([{ status: 'dropped' }, { status: 'dropped' }, { status: 'raised', holder: 'a' }]);
        expect(await get('a')).toMatchObject({ params: '1' });
        const stored = await add(replacing, { id: 'b', lock: raising('k2') });
        expect(stored).toEqual([{ status: 'replaced', holder: 'a' }, { status: 'enqueued' }]);
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
      'lets a repeat of either enqueue find what became of it',
      setup(async ({ add, task, get }) => {
        const first = task({ lock: replace, params: '1' });
        const newest = task({ lock: replace, params: '2' });
        await add(first);
        await add(newest);
        expect(await add(first)).toEqual([{ status: 'enqueued' }]);
        expect(await get(first.id)).toMatchObject({ params: '2' });
        expect(await add(newest)).toEqual([{ status: 'replaced', holder: first.id }]);
      }),
    );

    it(
      'keeps the lock with the holder',
      setup(async ({ add }) => {
        await add({ id: 'holder', lock: replace });
        await add({ id: 'b', lock: replace });
        expect(await add({ id: 'c', lock })).toEqual([{ status: 'rejected', holder: 'holder' }]);
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

    it.each(['waiting', 'scheduled', 'parked', 'succeeded', 'dead'] as const)(
      'reject a replacement of a %s task whose key another task holds, also where conflicts replace: neither is changed',
      (state) =>
        setup(async ({ add, bringTo, get }) => {
          await bringTo(state, { id: 'a', params: '1', lock: { ...replace, key: 'own' } });
          await add({ id: 'holder', params: '1', lock: replace });
          const before = [await get('a'), await get('holder')];
          expect(await add({ id: 'a', params: '2', lock: replace, replace: true })).toEqual([
            { status: 'rejected', holder: 'holder' },
          ]);
          expect([await get('a'), await get('holder')]).toEqual(before);
        })(),
    );

    it(
      'let a task take the place of a holder where its own id is free',
      setup(async ({ add, bringTo, get }) => {
        await bringTo('dead', { id: 'a', params: '1' });
        await add({ id: 'holder', params: '1', lock: replace });
        expect(await add({ id: 'a', params: '2', lock: replace })).toEqual([
          { status: 'replaced', holder: 'holder' },
        ]);
        expect(await get('holder')).toMatchObject({ params: '2' });
        expect(await get('a')).toMatchObject({ state: 'dead', params: '1' });
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
