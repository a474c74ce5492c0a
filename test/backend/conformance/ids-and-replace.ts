import { describe, expect, it } from '@jest/globals';
import { boom, finalStates, retryAtOnce, type Setup } from './setup.js';

export function describeIdsAndReplace(setup: Setup): void {
  describe('ids', () => {
    it.each(['scheduled', 'waiting', 'pending', 'parked', 'succeeded'] as const)(
      'belong to a %s task: a second one is existing and changes nothing',
      (state) =>
        setup(async ({ add, bringTo, get }) => {
          await bringTo(state, { id: 'a', params: '"first"' });
          const before = await get('a');
          expect(before).toMatchObject({ state, params: '"first"' });
          expect(await add({ id: 'a', params: '"second"' })).toEqual([{ status: 'existing' }]);
          expect(await get('a')).toEqual(before);
        })(),
    );

    it.each(['dead', 'cancelled'] as const)(
      'are freed by a %s task, whose record a new one takes over',
      (state) =>
        setup(async ({ add, bringTo, get, counts, claimOne }) => {
          await bringTo(state, { id: 'a', params: '"first"' });
          expect(await add({ id: 'a', params: '"second"', retries: 8 })).toEqual([{ status: 'enqueued' }]);
          const fresh = {
            state: 'waiting',
            params: '"second"',
            retries: 8,
            attempt: 0,
            failures: 0,
            errors: [],
          };
          expect(await get('a')).toMatchObject(fresh);
          expect((await get('a'))?.finishedAt).toBeUndefined();
          expect(await counts()).toEqual({ waiting: 1 });
          expect(await claimOne()).toMatchObject({ id: 'a', attempt: 1, params: '"second"' });
        })(),
    );

    it(
      'are free again when a succeeded task is not kept, or no longer',
      setup(async ({ add, start, settle, advance }) => {
        await settle(await start({ id: 'gone' }), { type: 'succeeded', keepMs: 0 });
        await settle(await start({ id: 'kept' }), { type: 'succeeded', keepMs: 60_000 });
        expect(await add({ id: 'gone' }, { id: 'kept' })).toEqual([
          { status: 'enqueued' },
          { status: 'existing' },
        ]);
        await advance(60_000);
        expect(await add({ id: 'kept' })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it(
      'hold within one queue',
      setup(async ({ queue, queueNamed, add, get }) => {
        const other = queueNamed('other');
        await add({ id: 'a', params: '1' });
        expect(await add({ id: 'a', queue: other, params: '2' })).toEqual([{ status: 'enqueued' }]);
        expect(await get('a', queue)).toMatchObject({ queue, params: '1' });
        expect(await get('a', other)).toMatchObject({ queue: other, params: '2' });
      }),
    );

    it(
      'can be met within one group: the second task is existing, or replaced if it asks to replace',
      setup(async ({ add, get, counts }) => {
        const [first, second] = [{ params: '1' }, { params: '2' }];
        expect(await add({ id: 'a', ...first }, { id: 'a', ...second })).toEqual([
          { status: 'enqueued' },
          { status: 'existing' },
        ]);
        expect(await add({ id: 'b', ...first }, { id: 'b', ...second, replace: true })).toEqual([
          { status: 'enqueued' },
          { status: 'replaced' },
        ]);
        expect(await get('a')).toMatchObject(first);
        expect(await get('b')).toMatchObject(second);
        expect(await counts()).toEqual({ waiting: 2 });
      }),
    );
  });

  describe('replace', () => {
    it.each(['scheduled', 'waiting', 'parked', ...finalStates] as const)('starts a %s task anew', (state) =>
      setup(async ({ add, bringTo, get, counts, claimIds }) => {
        await bringTo(state, { id: 'a', params: '"first"' });
        const next = { job: 'Other', params: '"second"', extra: 'x', priority: 5, retries: 8, keepMs: 7 };
        expect(await add({ id: 'a', replace: true, ...next })).toEqual([{ status: 'replaced' }]);
        expect(await get('a')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, ...next });
        expect(await get('a')).toEqual(expect.not.objectContaining({ finishedAt: expect.anything() }));
        expect(await counts()).toEqual({ waiting: 1 });
        expect(await claimIds()).toEqual(['a']);
      })(),
    );

    it(
      'leaves a pending task as it is: existing',
      setup(async ({ add, start, get, settle }) => {
        const lease = await start({ id: 'a', params: '"first"' });
        const before = await get('a');
        expect(await add({ id: 'a', params: '"second"', replace: true })).toEqual([{ status: 'existing' }]);
        expect(await get('a')).toEqual(before);
        expect(await settle(lease, { type: 'succeeded', keepMs: 0 })).toBe('settled');
      }),
    );

    it(
      'restarts the attempts of a retried task and forgets its failures',
      setup(async ({ add, start, settle, get }) => {
        await settle(await start({ id: 'a' }), { type: 'retry', error: boom, delayMs: 60_000 });
        expect(await get('a')).toMatchObject({ state: 'scheduled', attempt: 1, failures: 1 });
        await add({ id: 'a', replace: true });
        expect(await get('a')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, errors: [] });
      }),
    );

    it(
      'moves a task to its new due time and priority, later as well as earlier',
      setup(async ({ add, counts, claimIds, advance }) => {
        await add({ id: 'later' }, { id: 'earlier', due: { inMs: 60_000 } }, { id: 'last' });
        await add({ id: 'later', due: { inMs: 60_000 }, replace: true }, { id: 'earlier', replace: true });
        await add({ id: 'last', priority: 1, replace: true });
        expect(await counts()).toEqual({ scheduled: 1, waiting: 2 });
        expect(await claimIds()).toEqual(['earlier', 'last']);
        await advance(60_000);
        expect(await claimIds()).toEqual(['earlier', 'later', 'last']);
      }),
    );

    it(
      'of an unknown id enqueues',
      setup(async ({ add }) => {
        expect(await add({ id: 'a', replace: true })).toEqual([{ status: 'enqueued' }]);
      }),
    );

    it.each([
      ['replaced', true],
      ['enqueued', false],
    ] as const)('a task %s over a dead one does not vanish with it', (status, replace) =>
      setup(async ({ add, bringTo, advance, claimIds, get }) => {
        await bringTo('dead', { id: 'a' });
        expect(await add({ id: 'a', replace, due: { inMs: 120_000 } })).toEqual([{ status }]);
        await advance(90_000);
        expect(await claimIds()).toEqual([]);
        expect(await get('a')).toMatchObject({ state: 'scheduled' });
      })(),
    );
  });

  describe('a repeated add that meets its own token', () => {
    it.each(['scheduled', 'waiting', 'pending', 'parked', ...finalStates] as const)(
      'is enqueued and leaves the %s task alone',
      (state) =>
        setup(async ({ add, bringTo, task, get, counts }) => {
          const sent = task({ id: 'a' });
          await bringTo(state, sent);
          const before = await get('a');
          expect(before?.state).toBe(state);
          expect(await add(sent)).toEqual([{ status: 'enqueued' }]);
          expect(await get('a')).toEqual(before);
          expect(await counts()).toEqual({ [state]: 1 });
        })(),
    );

    it(
      'does not restart what it replaced before',
      setup(async ({ add, task, claimOne, settle, get }) => {
        await add({ id: 'a', params: '"old"' });
        const sent = task({ id: 'a', params: '"new"', replace: true });
        expect(await add(sent)).toEqual([{ status: 'replaced' }]);
        await settle(await claimOne(), retryAtOnce);
        expect(await add(sent)).toEqual([{ status: 'enqueued' }]);
        expect(await get('a')).toMatchObject({ attempt: 1, failures: 1, params: '"new"' });
      }),
    );
  });
}
