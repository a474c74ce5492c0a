import { describe, expect, it } from '@jest/globals';
import type { ClaimedTask } from '../../../lib/backend/backend.js';
import type { Outcome } from '../../../lib/task/outcome.js';
import type { NewTask, ParkReason } from '../../../lib/task/task-record.js';
import { eventually } from '../../support/app.js';
import { type Bundle, leaseMs, leaseOf, lockOf, retryAtOnce, type Setup } from './setup.js';

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

    describe('by another definition of their job', () => {
      const unpark = ({ backend, queue }: Bundle, fingerprint: string, after?: string) =>
        backend.tasks.unpark(queue, [{ job: 'Job', fingerprint }], after);

      it.each(['unreadable', 'invalid-params'] as const)(
        'go back to waiting as they were, at no cost, when they were %s',
        (reason) =>
          setup(async (bundle) => {
            const fields = { id: 'a', params: '"é\u0000"', priority: 3, retries: 2 };
            await bundle.settle(await bundle.start(fields), retryAtOnce);
            const before = (await bundle.get('a'))!;
            await bundle.settle(await bundle.claimOne(), { type: 'parked', reason, fingerprint: 'old' });
            expect(await bundle.get('a')).toMatchObject({ state: 'parked', reason, attempt: 1 });
            expect(await unpark(bundle, 'new')).toEqual({ count: 1 });
            expect(await bundle.get('a')).toEqual(before);
            expect(await bundle.counts()).toEqual({ waiting: 1 });
            expect(await bundle.claimOne()).toMatchObject({ id: 'a', attempt: 2, failures: 1, priority: 3 });
          })(),
      );

      it(
        'stay where they are for their own definition, and again once it has parked them anew',
        setup(async (bundle) => {
          await parkedBy(bundle, 'a', 'old');
          expect(await unpark(bundle, 'old')).toEqual({ count: 0 });
          await unpark(bundle, 'new');
          await bundle.settle(await bundle.claimOne(), invalidBy('new'));
          expect(await unpark(bundle, 'new')).toEqual({ count: 0 });
          expect(await unpark(bundle, 'old')).toEqual({ count: 1 });
          expect(await bundle.counts()).toEqual({ waiting: 1 });
        }),
      );

      it(
        'are told apart by the whole fingerprint and the whole name of the job',
        setup(async (bundle) => {
          const fingerprints = ['', '0', 'a', 'f', 'ff', 'fff', 'g'];
          for (const fingerprint of fingerprints) await parkedBy(bundle, `by ${fingerprint}`, fingerprint);
          await parkedBy(bundle, 'jo', 'a', 'Jo');
          await parkedBy(bundle, 'job-', 'a', 'Job-');
          await parkedBy(bundle, 'job space', 'a', 'Job Job');
          expect(await unpark(bundle, 'ff')).toEqual({ count: 5 });
          expect((await bundle.list('parked')).sort()).toEqual(['by ', 'by ff', 'jo', 'job space', 'job-']);
        }),
      );

      it(
        'come back for several jobs in one call, and for no other',
        setup(async (bundle) => {
          const { backend, queue } = bundle;
          for (const job of ['A', 'B', 'C']) await parkedBy(bundle, job, 'old', job);
          const definitions = [
            { job: 'C', fingerprint: 'new' },
            { job: 'None', fingerprint: 'new' },
            { job: 'A', fingerprint: 'old' },
            { job: 'B', fingerprint: 'new' },
          ];
          expect(await backend.tasks.unpark(queue, definitions)).toEqual({ count: 2 });
          expect(await bundle.list('parked')).toEqual(['A']);
          expect(await backend.tasks.unpark(queue, [])).toEqual({ count: 0 });
        }),
      );

      it(
        'are not those of an unknown job, which only a claim that declares it takes',
        setup(async (bundle) => {
          await parked(bundle, { a: 'unknown-job' });
          await parkedBy(bundle, 'b', 'old', 'Job-a');
          const definitions = [{ job: 'Job-a', fingerprint: 'new' }];
          expect(await bundle.backend.tasks.unpark(bundle.queue, definitions)).toEqual({ count: 1 });
          expect(await bundle.list('parked')).toEqual(['a']);
          await bundle.settle(await bundle.claimOne(), invalidBy('new'));
          expect(await bundle.claimIds({ declares: ['Job-a'] })).toEqual(['a']);
          expect(await bundle.list('parked')).toEqual(['b']);
        }),
      );

      it(
        'keep their due time and their lock',
        setup(async (bundle) => {
          const lock = lockOf('until_completed');
          await parkedBy(bundle, 'a', 'old', 'Job', { lock });
          await bundle.advance(5_000);
          await bundle.enqueue({ id: 'later' });
          await unpark(bundle, 'new');
          expect(await bundle.add({ id: 'b', lock })).toEqual([{ status: 'rejected', holder: 'a' }]);
          expect(await bundle.claimIds()).toEqual(['a', 'later']);
        }),
      );

      it.each(['retry', 'cancel', 'remove', 'replace'] as const)(
        'are not there to come back after a %s',
        (act) =>
          setup(async (bundle) => {
            const { backend, queue } = bundle;
            await parkedBy(bundle, 'a', 'old');
            if (act === 'replace') await bundle.add({ id: 'a', replace: true });
            else expect(await backend.catalog[act]([{ queue, id: 'a' }])).toEqual(['done']);
            const before = await bundle.counts();
            expect(await unpark(bundle, 'new')).toEqual({ count: 0 });
            expect(await bundle.counts()).toEqual(before);
          })(),
      );

      it(
        'wait in a paused queue',
        setup(async (bundle) => {
          await parkedBy(bundle, 'a', 'old');
          await bundle.backend.catalog.pause(bundle.queue);
          expect(await unpark(bundle, 'new')).toEqual({ count: 1 });
          expect(await bundle.claimIds()).toEqual([]);
          expect(await bundle.counts()).toEqual({ waiting: 1 });
        }),
      );

      it(
        'ring the bell, but only where some came back',
        setup(async (bundle) => {
          const { backend, queue } = bundle;
          await parkedBy(bundle, 'a', 'old');
          let rings = 0;
          const stop = await backend.bell.listen([queue], () => void rings++);
          try {
            await unpark(bundle, 'old');
            backend.bell.ring(queue);
            await eventually(() => rings > 0);
            expect(rings).toBe(1);
            await unpark(bundle, 'new');
            await eventually(() => rings > 1);
          } finally {
            stop();
          }
        }),
      );

      it(
        'come back a thousand at a time, each once, though others park them again meanwhile',
        setup(async (bundle) => {
          const { tasks: store } = bundle.backend;
          const total = 2_500;
          const tasks = Array.from({ length: total }, () => bundle.task());
          await store.add([tasks]);
          // Before and behind the asking one.
          const fingerprints = new Map(tasks.map(({ id }, index) => [id, index % 2 ? 'a' : 'z']));
          const parkAll = async () => {
            const taken: ClaimedTask[] = [];
            for (let some; (some = (await bundle.claim()).tasks).length > 0;) taken.push(...some);
            await store.settle(
              taken.map((task) => ({ ...leaseOf(task), outcome: invalidBy(fingerprints.get(task.id)!) })),
            );
            return taken.map(({ id }) => id);
          };
          await parkAll();
          expect(await bundle.counts()).toEqual({ parked: total });

          const cameBack: string[][] = [];
          let after: string | undefined;
          do {
            const answer = await unpark(bundle, 'k', after);
            expect(answer.count).toBeLessThanOrEqual(1_000);
            ({ after } = answer);
            const ids = await parkAll();
            expect(ids).toHaveLength(answer.count);
            cameBack.push(ids);
          } while (after !== undefined && cameBack.length < 10);
          expect(cameBack.length).toBeGreaterThanOrEqual(3);
          expect(cameBack.flat()).toHaveLength(total);
          expect(new Set(cameBack.flat()).size).toBe(total);
        }),
      );
    });
  });
}

const invalidBy = (fingerprint: string): Outcome => ({
  type: 'parked',
  reason: 'invalid-params',
  fingerprint,
});

/** A task that a definition with this fingerprint has parked. */
async function parkedBy(
  { start, settle }: Bundle,
  id: string,
  fingerprint: string,
  job = 'Job',
  fields: Partial<NewTask> = {},
): Promise<void> {
  await settle(await start({ ...fields, id, job }), invalidBy(fingerprint));
}

/** Tasks of a job each, parked for these reasons. */
async function parked({ start, settle }: Bundle, reasons: Record<string, ParkReason>): Promise<void> {
  for (const [id, reason] of Object.entries(reasons)) {
    await settle(await start({ id, job: `Job-${id}`, params: `"${id}"` }), { type: 'parked', reason });
  }
}
