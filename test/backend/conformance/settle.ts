import { describe, expect, it } from '@jest/globals';
import { keptFailures } from '../../../lib/task/task-record.js';
import { boom, endingIn, leaseMs, leaseOf, retryAtOnce, type Setup, success } from './setup.js';

export function describeSettle(setup: Setup): void {
  describe('settle', () => {
    it(
      'succeeded removes the record at once when it is not to be kept',
      setup(async ({ start, settle, get, counts }) => {
        expect(await settle(await start({ id: 'a' }), { type: 'succeeded', result: '1', keepMs: 0 })).toBe(
          'settled',
        );
        expect(await get('a')).toBeUndefined();
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'succeeded keeps the record with its result for as long as asked',
      setup(async ({ start, settle, get, counts, now, about }) => {
        const result = '{"sent": 1.0}';
        await settle(await start({ id: 'a' }), { type: 'succeeded', result, keepMs: 60_000 });
        const finishedAt = about(await now());
        expect(await get('a')).toMatchObject({
          state: 'succeeded',
          result,
          finishedAt,
          attempt: 1,
          failures: 0,
        });
        expect(await counts()).toEqual({ succeeded: 1 });
      }),
    );

    it(
      'succeeded without a result keeps none',
      setup(async ({ start, settle, get }) => {
        await settle(await start({ id: 'a' }), { type: 'succeeded', keepMs: 60_000 });
        expect((await get('a'))?.result).toBeUndefined();
      }),
    );

    it(
      "retry schedules the task by the store's clock, with the failure on record",
      setup(async ({ start, settle, advance, get, now, about, claimIds }) => {
        const lease = await start({ id: 'a' });
        await advance(5_000);
        const error = { name: 'TypeError', message: 'no é', stack: 'TypeError: no é\n  at x' };
        expect(await settle(lease, { type: 'retry', error, delayMs: 60_000 })).toBe('settled');
        const at = await now();
        const failed = { attempt: 1, failures: 1, errors: [{ ...error, attempt: 1, at: about(at) }] };
        expect(await get('a')).toMatchObject({ state: 'scheduled', dueAt: about(at + 60_000), ...failed });
        expect(await claimIds()).toEqual([]);
        await advance(60_000);
        expect(await claimIds()).toEqual(['a']);
      }),
    );

    it(
      'retry without delay is due at once',
      setup(async ({ start, settle, claim, get, now, about }) => {
        await settle(await start({ id: 'a', due: { inMs: -60_000 } }), retryAtOnce);
        expect(await get('a')).toMatchObject({ state: 'waiting', dueAt: about(await now()) });
        expect((await claim()).tasks).toMatchObject([{ id: 'a', attempt: 2, failures: 1 }]);
      }),
    );

    it(
      `retry keeps the latest ${keptFailures} failures and counts all`,
      setup(async ({ enqueue, claimOne, settle, get }) => {
        await enqueue({ id: 'a', retries: 1_000 });
        for (let run = 1; run <= keptFailures + 5; run++) {
          await settle(await claimOne(), {
            type: 'retry',
            error: { ...boom, message: `run ${run}` },
            delayMs: 0,
          });
        }
        const { errors, failures } = (await get('a'))!;
        expect(failures).toBe(keptFailures + 5);
        expect(errors).toHaveLength(keptFailures);
        expect(errors[0]).toMatchObject({ message: 'run 6', attempt: 6 });
        expect(errors.at(-1)).toMatchObject({
          message: `run ${keptFailures + 5}`,
          attempt: keptFailures + 5,
        });
      }),
      30_000,
    );

    it(
      'dead keeps the record with its failures',
      setup(async ({ start, settle, claimOne, get, claimIds, now, about }) => {
        await settle(await start({ id: 'a' }), retryAtOnce);
        await settle(await claimOne(), { type: 'dead', error: { ...boom, message: 'last' }, keepMs: 60_000 });
        const finished = { state: 'dead', attempt: 2, failures: 2, finishedAt: about(await now()) };
        const errors = [
          { message: 'boom', attempt: 1 },
          { message: 'last', attempt: 2 },
        ];
        expect(await get('a')).toMatchObject({ ...finished, errors });
        expect(await claimIds()).toEqual([]);
      }),
    );

    it(
      'cancelled keeps the record with the reason and counts no failure',
      setup(async ({ start, settle, get, claimIds, now, about }) => {
        await settle(await start({ id: 'a' }), { type: 'cancelled', reason: 'rejected', keepMs: 60_000 });
        const finishedAt = about(await now());
        const finished = { state: 'cancelled', reason: 'rejected', failures: 0, errors: [], finishedAt };
        expect(await get('a')).toMatchObject(finished);
        expect(await claimIds()).toEqual([]);
      }),
    );

    it.each(['dead', 'cancelled'] as const)(
      '%s removes the record at once when it is not to be kept',
      (type) =>
        setup(async ({ start, settle, get, counts }) => {
          const lease = await start({ id: 'a' });
          expect(await settle(lease, endingIn(type, 0))).toBe('settled');
          expect(await get('a')).toBeUndefined();
          expect(await counts()).toEqual({});
        })(),
    );

    it.each(['snoozed', 'conflict'] as const)('%s schedules the task and gives the attempt back', (type) =>
      setup(async ({ start, settle, claimOne, advance, get, now, about, claim }) => {
        await settle(await start({ id: 'a' }), retryAtOnce);
        await settle(await claimOne(), { type, delayMs: 60_000 });
        const dueAt = about((await now()) + 60_000);
        const unchanged = { attempt: 1, failures: 1, errors: [{ attempt: 1 }] };
        expect(await get('a')).toMatchObject({ state: 'scheduled', dueAt, ...unchanged });
        await advance(60_000);
        expect((await claim()).tasks).toMatchObject([{ id: 'a', attempt: 2, failures: 1 }]);
      })(),
    );

    it(
      'handed-back returns the task to its place in the line and gives the attempt back',
      setup(async ({ enqueue, start, settle, get, advance, claim }) => {
        const lease = await start({ id: 'a' });
        await advance(10_000);
        await enqueue({ id: 'later' });
        expect(await settle(lease, { type: 'handed-back' })).toBe('settled');
        const handed = await get('a');
        expect(handed).toMatchObject({
          state: 'waiting',
          dueAt: lease.dueAt,
          attempt: 0,
          failures: 0,
          errors: [],
        });
        expect(handed?.runner).toBeUndefined();
        expect((await claim()).tasks).toMatchObject([{ id: 'a', attempt: 1 }, { id: 'later' }]);
      }),
    );

    it(
      'parked keeps the bytes and the reason and gives the attempt back',
      setup(async ({ start, settle, get, counts, claimIds }) => {
        await settle(await start({ id: 'a', params: '{broken' }), { type: 'parked', reason: 'unreadable' });
        const parked = { state: 'parked', reason: 'unreadable', params: '{broken', attempt: 0, failures: 0 };
        expect(await get('a')).toMatchObject(parked);
        expect(await counts()).toEqual({ parked: 1 });
        expect(await claimIds()).toEqual([]);
      }),
    );

    it(
      'answers each outcome of several queues, in order',
      setup(async ({ backend, queueNamed, start, counts }) => {
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        const [first, second, third] = [
          await start({ queue: x }),
          await start({ queue: y }),
          await start({ queue: x }),
        ];
        const settled = await backend.tasks.settle([
          { ...leaseOf(first), outcome: success },
          { ...leaseOf(second), epoch: second.epoch - 1, outcome: success },
          { ...leaseOf(third), outcome: { type: 'handed-back' } },
        ]);
        expect(settled).toEqual(['settled', 'lost', 'settled']);
        expect(await backend.tasks.settle([])).toEqual([]);
        expect(await counts(x)).toEqual({ waiting: 1 });
        expect(await counts(y)).toEqual({ pending: 1 });
      }),
    );

    it(
      'ends the lease: nothing is recovered afterwards',
      setup(async ({ start, settle, advance, claim, get }) => {
        await settle(await start({ id: 'a' }), { type: 'snoozed', delayMs: 10 * leaseMs });
        await advance(2 * leaseMs);
        expect((await claim()).tasks).toEqual([]);
        expect(await get('a')).toMatchObject({ state: 'scheduled', failures: 0 });
      }),
    );
  });
}
