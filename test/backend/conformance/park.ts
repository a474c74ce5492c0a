import { describe, expect, it } from '@jest/globals';
import type { ParkReason } from '../../../lib/task/task-record.js';
import { type Bundle, leaseMs, type Setup } from './setup.js';

export function describePark(setup: Setup): void {
  describe('parked tasks', () => {
    it(
      'of an unknown job are claimed straight from there by a runner that declares the job',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job', b: 'unknown-job' });
        const { tasks } = await bundle.claim({ declares: ['Other', 'Job-a'] });
        expect(tasks).toMatchObject([{ id: 'a', job: 'Job-a', attempt: 1, failures: 0, params: '"a"' }]);
        const { state, reason } = (await bundle.get('a'))!;
        expect({ state, reason }).toEqual({ state: 'pending', reason: undefined });
        expect(await bundle.counts()).toEqual({ pending: 1, parked: 1 });
      }),
    );

    it(
      'stay where they are without such a runner',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job' });
        expect(await bundle.claimIds()).toEqual([]);
        expect(await bundle.claimIds({ declares: [] })).toEqual([]);
        expect(await bundle.claimIds({ declares: ['Other', 'Job-', '*'] })).toEqual([]);
        expect(await bundle.counts()).toEqual({ parked: 1 });
      }),
    );

    it(
      'of another reason stay parked though the job is declared',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unreadable', b: 'invalid-params' });
        expect(await bundle.claimIds({ declares: ['Job-a', 'Job-b'] })).toEqual([]);
        expect(await bundle.counts()).toEqual({ parked: 2 });
      }),
    );

    it(
      'count against the limits of the claim, beside waiting tasks',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job', b: 'unknown-job', c: 'unknown-job' });
        await bundle.enqueue({ id: 'w' });
        const declares = ['Job-a', 'Job-b', 'Job-c'];
        const first = await bundle.claimIds({ declares, limit: 2 });
        expect(first).toHaveLength(2);
        const rest = await bundle.claimIds({ declares });
        expect([...first, ...rest].sort()).toEqual(['a', 'b', 'c', 'w']);
      }),
    );

    it(
      'can be parked again, and then for another reason',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job' });
        const lease = await bundle.claimOne({ declares: ['Job-a'] });
        await bundle.settle(lease, { type: 'parked', reason: 'invalid-params' });
        expect(await bundle.get('a')).toMatchObject({
          state: 'parked',
          reason: 'invalid-params',
          attempt: 0,
        });
        expect(await bundle.claimIds({ declares: ['Job-a'] })).toEqual([]);
      }),
    );

    it(
      'are recovered to waiting when their new runner is lost',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job' });
        await bundle.claimOne({ declares: ['Job-a'] });
        await bundle.advance(leaseMs);
        expect((await bundle.claim()).tasks).toMatchObject([{ id: 'a', attempt: 2, failures: 1 }]);
      }),
    );

    it(
      'are not taken from a paused queue',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job' });
        await bundle.backend.catalog.pause(bundle.queue);
        expect(await bundle.claimIds({ declares: ['Job-a'] })).toEqual([]);
      }),
    );

    it(
      'never vanish by themselves',
      setup(async (bundle) => {
        await parked(bundle, { a: 'unknown-job' });
        await bundle.advance(10 * 365 * 86_400_000);
        await bundle.claim();
        expect(await bundle.counts()).toEqual({ parked: 1 });
      }),
    );
  });
}

/** Tasks of a job each, parked for these reasons. */
async function parked({ start, settle }: Bundle, reasons: Record<string, ParkReason>): Promise<void> {
  for (const [id, reason] of Object.entries(reasons)) {
    await settle(await start({ id, job: `Job-${id}`, params: `"${id}"` }), { type: 'parked', reason });
  }
}
