import { describe, expect, it } from '@jest/globals';
import { leaseMs, retryAtOnce, type Setup } from './setup.js';

export function describeStartedAt(setup: Setup): void {
  describe('the start of a run', () => {
    it(
      'is when the task was claimed, however often its lease is renewed',
      setup(async ({ enqueue, claimOne, renew, advance, get, list, backend, queue, now, about }) => {
        await enqueue({ id: 'a' });
        expect((await get('a'))!.startedAt).toBeUndefined();
        await advance(10_000);
        const claimed = await claimOne();
        const startedAt = about(await now());
        expect(await get('a')).toMatchObject({ state: 'pending', startedAt });
        for (let times = 0; times < 3; times++) {
          await advance(leaseMs / 2);
          expect(await renew(claimed)).toEqual({ lost: [], cancelled: [] });
        }
        expect(await get('a')).toMatchObject({ startedAt, leaseEndsAt: about((await now()) + leaseMs) });
        await renew(claimed, 10 * leaseMs);
        expect(await get('a')).toMatchObject({ startedAt });
        expect(await list('pending')).toEqual(['a']);
        const { tasks } = await backend.catalog.list(queue, 'pending', { limit: 1 });
        expect(tasks).toMatchObject([{ startedAt }]);
      }),
    );

    it(
      'is told of the run that is under way, and of no other',
      setup(async ({ start, settle, claimOne, advance, get, now, about }) => {
        await settle(await start({ id: 'a' }), retryAtOnce);
        expect((await get('a'))!.startedAt).toBeUndefined();
        await advance(10_000);
        const second = await claimOne();
        expect(await get('a')).toMatchObject({ attempt: 2, startedAt: about(await now()) });
        await settle(second, { type: 'succeeded', keepMs: 60_000 });
        expect((await get('a'))!.startedAt).toBeUndefined();
      }),
    );

    it(
      'is that of the later claim where the lease before it was lost',
      setup(async ({ start, claimOne, advance, get, now, about }) => {
        await start({ id: 'a' });
        await advance(leaseMs + 5_000);
        await claimOne({ runner: 'runner-2' });
        expect(await get('a')).toMatchObject({ runner: 'runner-2', startedAt: about(await now()) });
      }),
    );
  });
}
