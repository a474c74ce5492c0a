import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../lib/task/outcome.js';
import { recounting } from './lock-recount.js';
import { type Bundle, endingIn, leaseMs, lockOf, retryAtOnce, type Setup, success } from './setup.js';

const lock = lockOf('while_executing');
const held = ({ backend, queue }: Bundle) => backend.catalog.lock({ queue, key: lock.key });

/** Two tasks of one key, both claimed: a runs, b must not. */
async function inConflict(bundle: Bundle) {
  await bundle.add({ id: 'a', lock }, { id: 'b', lock, retries: 3 });
  const [a, b] = (await bundle.claim()).tasks;
  expect([a?.conflictsWith, b?.conflictsWith]).toEqual([undefined, 'a']);
  return { a: a!, b: b! };
}

/** What a runner makes of a task that was claimed in conflict: it is cancelled, fails, or stays away. */
const ended: Outcome[] = [endingIn('cancelled', 60_000), endingIn('cancelled', 0), endingIn('dead', 60_000)];
const returning: Outcome[] = [
  { type: 'conflict', delayMs: 0 },
  retryAtOnce,
  { type: 'handed-back' },
  { type: 'snoozed', delayMs: 0 },
];

export function describeLockRunConflicts(bare: Setup): void {
  const setup = recounting(bare);

  describe('a task that is claimed in conflict', () => {
    it.each([...ended, ...returning, endingIn('parked', 0)])(
      'leaves the lock to its holder when it ends in $type',
      (outcome) =>
        setup(async (bundle) => {
          const { a, b } = await inConflict(bundle);
          expect(await bundle.settle(b, outcome)).toBe('settled');
          expect(await held(bundle)).toMatchObject({ holder: 'a' });
          await bundle.settle(a, success);
          expect(await held(bundle)).toBeUndefined();
        })(),
    );

    it.each(returning)('is in conflict again after $type while the holder runs, and not later', (outcome) =>
      setup(async (bundle) => {
        const { a, b } = await inConflict(bundle);
        await bundle.settle(b, outcome);
        const second = await bundle.claimOne();
        expect(second).toMatchObject({ id: 'b', conflictsWith: 'a' });
        await bundle.settle(a, success);
        await bundle.settle(second, outcome);
        expect((await bundle.claimOne()).conflictsWith).toBeUndefined();
        expect(await held(bundle)).toMatchObject({ holder: 'b' });
      })(),
    );

    it(
      'costs no attempt where it stays away, however often',
      setup(async (bundle) => {
        let { b } = await inConflict(bundle);
        for (let times = 0; times < 5; times++) {
          await bundle.settle(b, { type: 'conflict', delayMs: 0 });
          b = await bundle.claimOne();
          expect(b).toMatchObject({ id: 'b', attempt: 1, failures: 0, conflictsWith: 'a' });
        }
      }),
    );

    it(
      'does not get the lock by the end of the holder: it was told not to run',
      setup(async (bundle) => {
        const { a } = await inConflict(bundle);
        await bundle.settle(a, success);
        expect(await held(bundle)).toBeUndefined();
        expect((await bundle.start({ id: 'c', lock })).conflictsWith).toBeUndefined();
      }),
    );

    it(
      'leaves the lock to its holder when its process dies, or when it is asked to stop',
      setup(async (bundle) => {
        const { a, b } = await inConflict(bundle);
        await bundle.backend.catalog.cancel([b]);
        await bundle.settle(b, { type: 'conflict', delayMs: 0 });
        expect(await bundle.get('b')).toMatchObject({ state: 'cancelled' });
        await bundle.enqueue({ id: 'c', lock });
        expect(await bundle.claimOne()).toMatchObject({ id: 'c', conflictsWith: 'a' });
        await bundle.advance(leaseMs / 2);
        await bundle.renew(a);
        await bundle.advance(leaseMs / 2);
        await bundle.enqueue({ id: 'd', lock, priority: -1 });
        expect((await bundle.claim()).tasks).toMatchObject([
          { id: 'd', conflictsWith: 'a' },
          { id: 'c', attempt: 2, conflictsWith: 'a' },
        ]);
      }),
    );
  });

  describe('a lock of one key and several phases', () => {
    it.each(['until_executing', 'until_executed', 'until_completed'] as const)(
      'has one holder: a task %s keeps one that runs from taking it',
      (phase) =>
        setup(async (bundle) => {
          await bundle.enqueue({ id: 'a', lock: lockOf(phase), due: { inMs: 60_000 } });
          expect(await bundle.start({ id: 'b', lock })).toMatchObject({ conflictsWith: 'a' });
        })(),
    );

    it.each(['reject', 'raise', 'replace'] as const)(
      'has one holder: a run keeps a new task that is to %s from taking it',
      (onConflict) =>
        setup(async (bundle) => {
          await bundle.start({ id: 'a', lock });
          const status = onConflict === 'raise' ? 'raised' : 'rejected';
          expect(await bundle.add({ id: 'b', lock: lockOf('until_completed', { onConflict }) })).toEqual([
            { status, holder: 'a' },
          ]);
        })(),
    );

    it(
      'is not taken from a task that waits by one that is claimed together with it',
      setup(async (bundle) => {
        const waits = lockOf('until_completed', { ttlMs: 60_000 });
        await bundle.enqueue({ id: 'a', lock: waits });
        await bundle.enqueue({ id: 'b', lock, priority: -1 });
        expect((await bundle.claim()).tasks).toMatchObject([{ id: 'b', conflictsWith: 'a' }, { id: 'a' }]);
        expect(await held(bundle)).toMatchObject({ holder: 'a' });
      }),
    );

    it(
      'is taken from one that has let its time to live pass, also where both are claimed together',
      setup(async (bundle) => {
        await bundle.enqueue({ id: 'a', lock: lockOf('until_completed', { ttlMs: 10_000 }) });
        await bundle.enqueue({ id: 'b', lock, priority: -1 });
        await bundle.advance(15_000);
        const [b, a] = (await bundle.claim()).tasks;
        expect([b, a]).toMatchObject([{ id: 'b' }, { id: 'a' }]);
        expect(b!.conflictsWith).toBeUndefined();
        expect(await held(bundle)).toMatchObject({ holder: 'b' });
      }),
    );
  });
}
