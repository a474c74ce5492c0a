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
          { id: 'c', attempt: 1, failures: 0, conflictsWith: 'a' },
        ]);
      }),
    );

    it(
      'costs no attempt where its process dies, however often: it never ran',
      setup(async (bundle) => {
        const { add, claim, claimOne, renew, advance, get, settle } = bundle;
        await add({ id: 'a', lock }, { id: 'b', lock, retries: 0 });
        const [a] = (await claim()).tasks;
        for (let times = 0; times < 3; times++) {
          await advance(leaseMs / 2);
          await renew(a!);
          await advance(leaseMs / 2);
          expect(await claimOne()).toMatchObject({ id: 'b', attempt: 1, failures: 0, conflictsWith: 'a' });
          expect((await get('b'))?.errors).toEqual([]);
        }
        await settle(a!, success);
        await advance(leaseMs);
        const run = await claimOne();
        expect(run).toMatchObject({ id: 'b', attempt: 1 });
        expect(run.conflictsWith).toBeUndefined();
        // From here on it runs, and dies of it.
        await advance(leaseMs);
        await claim();
        expect(await get('b')).toMatchObject({ state: 'dead', failures: 1 });
      }),
    );

    it(
      'costs no attempt where its process dies after it has run before',
      setup(async (bundle) => {
        const { enqueue, start, claimOne, renew, advance, settle } = bundle;
        await settle(await start({ id: 'b', lock, retries: 1 }), retryAtOnce);
        await enqueue({ id: 'a', lock, priority: -1 });
        const a = await claimOne();
        expect(await claimOne()).toMatchObject({ id: 'b', attempt: 2, conflictsWith: 'a' });
        await advance(leaseMs / 2);
        await renew(a);
        await advance(leaseMs / 2);
        expect(await claimOne()).toMatchObject({ id: 'b', attempt: 2, failures: 1, conflictsWith: 'a' });
      }),
    );

    it.each([
      ['stayed away', { type: 'conflict', delayMs: 5_000 }],
      ['was handed back', { type: 'handed-back' }],
      ['lost its process', undefined],
    ] as [string, Outcome | undefined][])('expires as one that never began, after it %s', (_, outcome) =>
      setup(async (bundle) => {
        const { add, claim, claimIds, settle, renew, advance, get } = bundle;
        await add({ id: 'a', lock }, { id: 'b', lock, expires: { inMs: 2 * leaseMs } });
        const [a, b] = (await claim()).tasks;
        if (outcome) await settle(b!, outcome);
        await advance(leaseMs / 2);
        await renew(a!);
        await advance(leaseMs / 2);
        const [again] = (await claim()).tasks;
        expect(again).toMatchObject({ id: 'b', conflictsWith: 'a' });
        await settle(again!, outcome ?? { type: 'conflict', delayMs: 0 });
        await settle(a!, success);
        await advance(2 * leaseMs);
        expect(await claimIds()).toEqual([]);
        expect(await get('b')).toMatchObject({ state: 'cancelled', reason: 'expired' });
      })(),
    );

    it.each([
      ['ran before', { type: 'snoozed', delayMs: 0 }],
      ['failed by the conflict', retryAtOnce],
    ] as [string, Outcome][])('does not expire where it %s', (what, outcome) =>
      setup(async (bundle) => {
        const { enqueue, start, claimOne, settle, advance } = bundle;
        const fields = { id: 'b', lock, expires: { inMs: 10_000 } };
        if (what === 'ran before') await settle(await start(fields), outcome);
        await enqueue({ id: 'a', lock, priority: -1 });
        const a = await claimOne();
        if (what !== 'ran before') await enqueue(fields);
        const b = await claimOne();
        expect(b).toMatchObject({ id: 'b', conflictsWith: 'a' });
        await settle(b, what === 'ran before' ? { type: 'conflict', delayMs: 0 } : outcome);
        await settle(a, success);
        await advance(15_000);
        expect(await claimOne()).toMatchObject({ id: 'b' });
      })(),
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
