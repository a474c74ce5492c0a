import { describe, expect, it } from '@jest/globals';
import { leaseMs, retryAtOnce, type Setup, success } from './setup.js';

/** What a busy runner does: the outcomes of the moment leave together with the next claim. */
export function describeSettleAndClaim(setup: Setup): void {
  describe('a success that is told together with the next claim', () => {
    it(
      'makes room for the next task',
      setup(async ({ start, enqueue, settle, claimIds, get, counts }) => {
        const first = await start({ id: 'a' });
        await enqueue({ id: 'b' });
        const settling = settle(first, success);
        expect(await claimIds({ limit: 1 })).toEqual(['b']);
        expect(await settling).toBe('settled');
        expect(await get('a')).toBeUndefined();
        expect(await counts()).toEqual({ pending: 1 });
      }),
    );

    it.each(['its lease had ended', 'it was handed back'])(
      'is lost where the task was claimed again since, as %s, and changes nothing',
      (why) =>
        setup(async ({ start, advance, claimOne, settle, claimIds, get }) => {
          const old = await start({ id: 'a' });
          if (why === 'it was handed back') await settle(old, { type: 'handed-back' });
          else await advance(leaseMs);
          await claimOne();
          const before = await get('a');
          const settling = settle(old, success);
          expect(await claimIds()).toEqual([]);
          expect(await settling).toBe('lost');
          expect(await get('a')).toEqual(before);
        })(),
    );

    it(
      'counts where the task was asked to stop meanwhile',
      setup(async ({ backend, queue, start, settle, claimIds, get, counts }) => {
        const claimed = await start({ id: 'a' });
        expect(await backend.catalog.cancel([{ queue, id: 'a' }])).toEqual(['requested']);
        const settling = settle(claimed, success);
        expect(await claimIds()).toEqual([]);
        expect(await settling).toBe('settled');
        expect(await get('a')).toBeUndefined();
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'leaves nothing of failures before it to a later task of the same id',
      setup(async ({ start, settle, claimOne, claimIds, enqueue, get }) => {
        await settle(await start({ id: 'a', token: 'first' }), retryAtOnce);
        const again = await claimOne();
        expect(again).toMatchObject({ attempt: 2, failures: 1 });
        const settling = settle(again, success);
        expect(await claimIds()).toEqual([]);
        expect(await settling).toBe('settled');
        await enqueue({ id: 'a', token: 'second' });
        expect(await get('a')).toMatchObject({ attempt: 0, failures: 0, errors: [] });
      }),
    );

    it.each(['a:b|c', 'a\x1db', 'a\x1d', '\x1e,\x1f', ':', 'ä\u{1f600}'])(
      'means the task whose id it has, whatever that looks like: %j',
      (id) =>
        setup(async ({ start, enqueue, settle, claim, counts }) => {
          const first = await start({ id: 'plain' });
          await enqueue({ id, token: 'its own', params: '"ü"' });
          const settling = settle(first, success);
          const { tasks } = await claim({ limit: 1 });
          expect(tasks).toMatchObject([{ id, attempt: 1, failures: 0, params: '"ü"' }]);
          expect(await settling).toBe('settled');
          const last = settle(tasks[0]!, success);
          await claim({ limit: 1 });
          expect(await last).toBe('settled');
          expect(await counts()).toEqual({});
        })(),
    );
  });
}
