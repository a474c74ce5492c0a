import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import { recounting } from './lock-recount.js';
import { boom, type Bundle, endingIn, leaseMs, lockOf, retryAtOnce, type Setup, success } from './setup.js';

const fromEnqueue = ['until_executing', 'until_executed', 'until_completed'] as const;
const held = (bundle: Bundle) => bundle.backend.catalog.lock({ queue: bundle.queue, key: 'k' });
const release = ({ backend, queue }: Bundle, holder?: string) =>
  backend.catalog.releaseLock({ queue, key: 'k', holder });

/** What an operator can do about a lock whose holder is stuck. */
export function describeLockRelease(bare: Setup): void {
  const setup = recounting(bare);

  describe.each(fromEnqueue)('a lock %s that was released', (phase) => {
    const lock = lockOf(phase);

    it(
      'is free, once',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock });
        expect(await release(bundle)).toBe(true);
        expect(await held(bundle)).toBeUndefined();
        expect(await release(bundle)).toBe(false);
        expect(await bundle.add({ id: 'b', lock })).toEqual([{ status: 'enqueued' }]);
        expect(await held(bundle)).toMatchObject({ holder: 'b' });
      }),
    );

    it(
      'is not had again by the first run of the task that held it, which runs all the same',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock });
        await release(bundle);
        const claimed = await bundle.claimOne();
        expect(claimed).toMatchObject({ id: 'a', attempt: 1 });
        expect(claimed.conflictsWith).toBeUndefined();
        expect(await held(bundle)).toBeUndefined();
      }),
    );

    it.each([success, endingIn('dead', 60_000), endingIn('cancelled', 60_000), retryAtOnce])(
      'and taken by another is not freed by $type of the task that held it',
      (outcome) =>
        setup(async (bundle) => {
          await bundle.enqueue({ id: 'a', lock });
          await release(bundle);
          await bundle.enqueue({ id: 'b', lock, due: { inMs: 600_000 } });
          const claimed = await bundle.claimOne();
          expect(claimed.id).toBe('a');
          await bundle.settle(claimed, outcome);
          expect(await held(bundle)).toMatchObject({ holder: 'b' });
        })(),
    );

    it.each(['cancel', 'remove'] as const)(
      'and taken by another is not freed by %s of the task that held it',
      (verb) =>
        setup(async (bundle) => {
          const { backend, queue } = bundle;
          await bundle.enqueue({ id: 'a', lock });
          await release(bundle);
          await bundle.enqueue({ id: 'b', lock });
          expect(await backend.catalog[verb]([{ queue, id: 'a' }])).toEqual(['done']);
          expect(await held(bundle)).toMatchObject({ holder: 'b' });
        })(),
    );

    it(
      'leaves its task to the newest no longer: both live',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock, params: '1' });
        await release(bundle);
        const newest = { id: 'b', params: '2', lock: lockOf(phase, { onConflict: 'replace' }) };
        expect(await bundle.add(newest)).toEqual([{ status: 'enqueued' }]);
        expect(await bundle.get('a')).toMatchObject({ params: '1' });
      }),
    );

    it(
      'is taken anew by a task that is started anew, or replaced, where it is free',
      setup(async (bundle) => {
        const { backend, queue } = bundle;
        await bundle.enqueue({ id: 'a', lock });
        await release(bundle);
        expect(await bundle.add({ id: 'a', lock, replace: true })).toEqual([{ status: 'replaced' }]);
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
        await release(bundle);
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
      }),
    );
  });

  describe('a lock until_executed that was released', () => {
    const lock = lockOf('until_executed');

    it(
      'is taken by the run after a failure, as always',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock });
        await release(bundle);
        await bundle.settle(await bundle.claimOne(), retryAtOnce);
        expect(await bundle.claimOne()).toMatchObject({ id: 'a', attempt: 2 });
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
      }),
    );

    it(
      'is taken by the run after a lost lease',
      setup(async (bundle) => {
        await bundle.start({ id: 'a', lock });
        await release(bundle);
        await bundle.advance(leaseMs);
        expect(await bundle.claimOne()).toMatchObject({ id: 'a', attempt: 2 });
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
      }),
    );
  });

  describe('a lock until_completed that was released', () => {
    const lock = lockOf('until_completed');
    const parked = endingIn('parked', 0);
    const returning: Outcome[] = [
      retryAtOnce,
      { type: 'snoozed', delayMs: 0 },
      { type: 'conflict', delayMs: 0 },
      { type: 'handed-back' },
    ];

    it.each(returning)('while its task ran stays free after $type, and in the next run', (outcome) =>
      setup(async (bundle) => {
        const lease = await bundle.start({ id: 'a', lock });
        expect(await release(bundle)).toBe(true);
        expect(await bundle.settle(lease, outcome)).toBe('settled');
        expect(await held(bundle)).toBeUndefined();
        expect(await bundle.claimIds()).toEqual(['a']);
        expect(await held(bundle)).toBeUndefined();
      })(),
    );

    it(
      'stays free after a lost lease, and in the next run',
      setup(async (bundle) => {
        await bundle.start({ id: 'a', lock });
        await release(bundle);
        await bundle.advance(leaseMs);
        expect(await bundle.claimIds()).toEqual(['a']);
        expect(await held(bundle)).toBeUndefined();
      }),
    );

    it(
      'of a parked task stays free when that is put back, and is taken anew by retry',
      setup(async (bundle) => {
        const { backend, queue } = bundle;
        const park: Outcome = { type: 'parked', reason: 'invalid-params', fingerprint: 'v1' };
        await bundle.settle(await bundle.start({ id: 'a', lock }), park);
        expect(await release(bundle)).toBe(true);
        await backend.tasks.unpark(queue, [{ job: 'Job', fingerprint: 'v2' }]);
        expect(await held(bundle)).toBeUndefined();
        await bundle.settle(await bundle.claimOne(), park);
        expect(await held(bundle)).toBeUndefined();
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
      }),
    );

    it(
      'and taken by another keeps retry from starting its parked task anew',
      setup(async (bundle) => {
        const { backend, queue } = bundle;
        await bundle.settle(await bundle.start({ id: 'a', lock }), parked);
        await release(bundle);
        await bundle.enqueue({ id: 'b', lock });
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['taken']);
        expect(await bundle.get('a')).toMatchObject({ state: 'parked' });
      }),
    );
  });

  describe('a lock while_executing that was released', () => {
    const lock = lockOf('while_executing');

    it(
      'lets the next task run, which then holds it, whatever becomes of the first run',
      setup(async (bundle) => {
        const first = await bundle.start({ id: 'a', lock });
        expect(await release(bundle)).toBe(true);
        expect((await bundle.start({ id: 'b', lock })).conflictsWith).toBeUndefined();
        await bundle.settle(first, { type: 'retry', error: boom, delayMs: 0 });
        expect(await held(bundle)).toMatchObject({ holder: 'b' });
        expect(await bundle.claimOne()).toMatchObject({ id: 'a', conflictsWith: 'b' });
      }),
    );

    it(
      'is taken by the next run of its task where it is free',
      setup(async (bundle) => {
        const lease = await bundle.start({ id: 'a', lock });
        await release(bundle);
        await bundle.settle(lease, { type: 'snoozed', delayMs: 0 });
        expect((await bundle.claimOne()).conflictsWith).toBeUndefined();
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
      }),
    );
  });

  describe('releasing a lock', () => {
    const lock = lockOf('until_completed');

    it(
      'of a task that does not hold it changes nothing',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock });
        expect(await release(bundle, 'b')).toBe(false);
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
        expect(await release(bundle, 'a')).toBe(true);
        await bundle.enqueue({ id: 'b', lock });
        expect(await release(bundle, 'a')).toBe(false);
        expect(await held(bundle)).toMatchObject({ holder: 'b' });
      }),
    );

    it(
      'that nobody holds, or in a queue that nobody has used, answers that',
      setup(async ({ backend, queue, queueNamed, enqueue }) => {
        await enqueue({ lock });
        const { catalog } = backend;
        expect(await catalog.releaseLock({ queue, key: 'other' })).toBe(false);
        const unused = queueNamed('unused');
        expect(await catalog.releaseLock({ queue: unused, key: 'k' })).toBe(false);
        expect(await catalog.lock({ queue: unused, key: 'k' })).toBeUndefined();
        expect(await catalog.locks(unused, { limit: 10 })).toEqual({ locks: [] });
      }),
    );

    it(
      'that has ended by its time to live answers that nobody holds it',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock: { ...lock, ttlMs: 5_000 } });
        await bundle.advance(10_000);
        expect(await release(bundle)).toBe(false);
      }),
    );
  });
}
