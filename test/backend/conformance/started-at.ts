import { describe, expect, it } from '@jest/globals';
import { boom, endingIn, finalStates, leaseMs, retryAtOnce, type Setup } from './setup.js';

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

  describe('the last run', () => {
    it.each(finalStates)('of a task that ended %s says when it began and ended, and who had it', (state) =>
      setup(async ({ enqueue, claimOne, settle, advance, get, list, backend, queue, now, about }) => {
        await enqueue({ id: 'a' });
        await settle(await claimOne({ runner: 'first|one' }), retryAtOnce);
        expect(await get('a')).not.toMatchObject({ lastRun: expect.anything() });
        await advance(10_000);
        const claimed = await claimOne({ runner: 'second|one' });
        const startedAt = about(await now());
        await advance(leaseMs / 2);
        await settle(claimed, endingIn(state, 60_000));
        const lastRun = { startedAt, endedAt: about(await now()), runner: 'second|one' };
        expect(await get('a')).toMatchObject({ state, lastRun });
        expect(await list(state)).toEqual(['a']);
        const { tasks } = await backend.catalog.list(queue, state, { limit: 1 });
        expect(tasks).toMatchObject([{ lastRun }]);
      })(),
    );

    it(
      'of a task that died with its process ended when that was found',
      setup(async ({ enqueue, claimOne, claim, advance, get, now, about }) => {
        await enqueue({ id: 'a', retries: 0 });
        const startedAt = about(await now());
        await claimOne({ runner: 'killed' });
        await advance(leaseMs + 5_000);
        await claim();
        const run = { startedAt, runner: 'killed' };
        expect(await get('a')).toMatchObject({
          state: 'dead',
          lastRun: { ...run, endedAt: about(await now()) },
          errors: [{ ...run, at: about(await now()) }],
        });
      }),
    );

    it(
      'is none where the task ended without one, and begins anew with the task',
      setup(async ({ backend, queue, enqueue, settle, get, claimOne }) => {
        const refs = [{ queue, id: 'a' }];
        const lastRun = async () => (await get('a'))!.lastRun;
        await enqueue({ id: 'a' });
        await backend.catalog.cancel(refs);
        expect(await lastRun()).toBeUndefined();
        await backend.catalog.retry(refs);
        await settle(await claimOne(), { type: 'dead', error: boom, keepMs: 60_000 });
        expect(await lastRun()).toMatchObject({ runner: 'runner-1' });
        await backend.catalog.retry(refs);
        expect(await lastRun()).toBeUndefined();
        await settle(await claimOne(), { type: 'retry', error: boom, delayMs: 60_000 });
        await backend.catalog.cancel(refs);
        expect(await get('a')).toMatchObject({ state: 'cancelled', errors: [{}, {}] });
        expect(await lastRun()).toBeUndefined();
      }),
    );

    it(
      'of each failed attempt is told with its failure',
      setup(async ({ enqueue, claimOne, settle, advance, get, now, about }) => {
        await enqueue({ id: 'a' });
        const expected: unknown[] = [];
        for (const runner of ['one', '"quoted" \u{1f600}', 'three']) {
          await advance(1_000);
          const claimed = await claimOne({ runner });
          const startedAt = about(await now());
          await advance(2_000);
          await settle(claimed, retryAtOnce);
          expected.push({ ...boom, attempt: expected.length + 1, startedAt, runner, at: about(await now()) });
        }
        expect((await get('a'))!.errors).toEqual(expected);
      }),
    );
  });
}
