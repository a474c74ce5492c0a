import { describe, expect, it } from '@jest/globals';
import type { TaskState } from '../../../lib/task/task-record.js';
import { minute, type ScheduleBundle, withSchedules } from './schedule-setup.js';
import { boom, endingIn, leaseMs, lockOf, settings, type Setup } from './setup.js';

/** Fires the first slot of a schedule and brings its task, `first`, into a state. */
async function fired(
  { put, step, task, advanceOne, claimOne, settle, now }: ScheduleBundle,
  state: TaskState,
  fields: { retries?: number; lock?: ReturnType<typeof lockOf> } = {},
): Promise<number> {
  const slot = await now();
  await put('a', slot);
  const due = { inMs: state === 'scheduled' ? 3_600_000 : 0 };
  const work = task({ id: 'first', scheduleId: 'a', slot, due, ...fields });
  const advanced = await advanceOne(step('a', slot, { task: work, overlap: 'skip' }));
  if (advanced.status !== 'advanced' || advanced.overlaps) throw new Error('a first slot has no predecessor');
  if (state === 'scheduled' || state === 'waiting') return slot + minute;
  const claimed = await claimOne();
  if (state !== 'pending') await settle(claimed, endingIn(state, 3_600_000));
  return slot + minute;
}

export function describeSchedulesOverlap(setup: Setup): void {
  describe.each(['scheduled', 'waiting', 'pending', 'parked'] as const)(
    'a slot whose predecessor is %s',
    (state) => {
      it(
        'is skipped and counted where it says so',
        withSchedules(setup, async (bundle) => {
          const { step, task, advanceOne, read, get } = bundle;
          const slot = await fired(bundle, state);
          const second = step('a', slot, { task: task({ id: 'second' }), overlap: 'skip', skipped: 2 });
          expect(await advanceOne(second)).toEqual({ status: 'advanced', overlaps: 'first' });
          expect(await get('second')).toBeUndefined();
          expect(await get('first')).toMatchObject({ state, cancelRequested: false });
          const counts = { fired: 1, skipped: 3, lastTask: 'first' };
          expect(await read('a')).toMatchObject({ ...counts, nextSlot: slot + minute, lastSlot: slot });
        }),
      );

      it(
        'makes its task all the same where it is to queue',
        withSchedules(setup, async (bundle) => {
          const { step, task, advanceOne, read, get } = bundle;
          const slot = await fired(bundle, state);
          const second = step('a', slot, { task: task({ id: 'second' }), overlap: 'queue' });
          expect(await advanceOne(second)).toEqual({ status: 'advanced', added: { status: 'enqueued' } });
          expect(await get('first')).toMatchObject({ state, cancelRequested: false });
          expect(await get('second')).toMatchObject({ state: 'waiting' });
          expect(await read('a')).toMatchObject({ fired: 2, skipped: 0, lastTask: 'second' });
        }),
      );

      it(
        'cancels it where it is to replace it, or asks it to stop where it runs',
        withSchedules(setup, async (bundle) => {
          const { step, task, advanceOne, read, get, advance } = bundle;
          const slot = await fired(bundle, state);
          const second = step('a', slot, { task: task({ id: 'second' }), overlap: 'replace' });
          const replaced = { status: 'advanced', added: { status: 'enqueued' }, overlaps: 'first' };
          expect(await advanceOne(second)).toEqual(replaced);
          expect(await get('second')).toMatchObject({ state: 'waiting' });
          expect(await read('a')).toMatchObject({ fired: 2, skipped: 0, lastTask: 'second' });
          if (state === 'pending') {
            expect(await get('first')).toMatchObject({ state, cancelRequested: true });
            return;
          }
          expect(await get('first')).toMatchObject({
            state: 'cancelled',
            reason: 'replaced by the next slot',
          });
          await advance(settings.cancelledKeepMs);
          expect(await get('first')).toBeUndefined();
        }),
      );
    },
  );

  describe('a slot that replaces its predecessor', () => {
    it(
      'has its lock where that one waits',
      withSchedules(setup, async (bundle) => {
        const { step, task, advanceOne, list, claimIds } = bundle;
        const lock = lockOf('until_completed');
        const slot = await fired(bundle, 'waiting', { lock });
        const second = step('a', slot, { task: task({ id: 'second', lock }), overlap: 'replace' });
        const replaced = { status: 'advanced', added: { status: 'enqueued' }, overlaps: 'first' };
        expect(await advanceOne(second)).toEqual(replaced);
        expect(await list('cancelled')).toEqual(['first']);
        expect(await claimIds()).toEqual(['second']);
      }),
    );

    it(
      'is rejected by a lock that it still holds while it runs, and asks it to stop all the same',
      withSchedules(setup, async (bundle) => {
        const { step, task, advanceOne, get, read } = bundle;
        const lock = lockOf('until_completed');
        const slot = await fired(bundle, 'pending', { lock });
        const second = step('a', slot, { task: task({ id: 'second', lock }), overlap: 'replace' });
        expect(await advanceOne(second)).toEqual({
          status: 'advanced',
          added: { status: 'rejected', holder: 'first' },
          overlaps: 'first',
        });
        expect(await get('first')).toMatchObject({ cancelRequested: true });
        expect(await read('a')).toMatchObject({ fired: 1, skipped: 1, lastTask: 'first' });
      }),
    );

    it.each([
      ['pending', 'reject'],
      ['pending', 'raise'],
      ['scheduled', 'reject'],
    ] as const)(
      'leaves it alone, %s, where a third task keeps the lock: no task is made (%s)',
      (state, onConflict) =>
        withSchedules(setup, async (bundle) => {
          const { step, task, advanceOne, get, read, claimOne, settle, enqueue } = bundle;
          const lock = lockOf('until_executing', { onConflict });
          const slot = await fired(bundle, 'waiting', { lock });
          const first = await claimOne();
          if (state === 'scheduled') await settle(first, { type: 'retry', error: boom, delayMs: 1_000 });
          await enqueue({ id: 'by hand', lock, due: { inMs: 3_600_000 } });
          const second = step('a', slot, { task: task({ id: 'second', lock }), overlap: 'replace' });
          const status = onConflict === 'raise' ? 'raised' : 'rejected';
          expect(await advanceOne(second)).toEqual({
            status: 'advanced',
            added: { status, holder: 'by hand' },
          });
          expect(await get('first')).toMatchObject({ state, cancelRequested: false });
          expect(await get('second')).toBeUndefined();
          expect(await read('a')).toMatchObject({ fired: 1, skipped: 1, lastTask: 'first' });
        })(),
    );

    it(
      'stops it where a third task that has the lock gives way to the new one',
      withSchedules(setup, async (bundle) => {
        const { step, task, advanceOne, get, read, claimOne, enqueue } = bundle;
        const lock = lockOf('until_executing', { onConflict: 'replace' });
        const slot = await fired(bundle, 'waiting', { lock });
        await claimOne();
        await enqueue({ id: 'by hand', lock, due: { inMs: 3_600_000 } });
        const second = step('a', slot, { task: task({ id: 'second', lock }), overlap: 'replace' });
        expect(await advanceOne(second)).toEqual({
          status: 'advanced',
          added: { status: 'replaced', holder: 'by hand' },
          overlaps: 'first',
        });
        expect(await get('first')).toMatchObject({ state: 'pending', cancelRequested: true });
        expect(await read('a')).toMatchObject({ fired: 2, skipped: 0, lastTask: 'by hand' });
      }),
    );

    it(
      'tells the runner that has it, by its lease and by the bell',
      withSchedules(setup, async (bundle) => {
        const { backend, queue, step, advanceOne, get, renew, settle, put, task, now, claimOne } = bundle;
        const heard: string[] = [];
        const stop = await backend.bell.listen([queue], (_, id) => id !== undefined && heard.push(id));
        const slot = await now();
        await put('a', slot);
        await advanceOne(step('a', slot, { task: task({ id: 'first' }) }));
        const lease = await claimOne();
        await advanceOne(step('a', slot + minute, { overlap: 'replace' }));
        // A ring behind it: by then the first one was heard.
        backend.bell.ring(queue, 'end');
        while (!heard.includes('end')) await new Promise((resolve) => setTimeout(resolve, 5));
        stop();
        expect(heard).toEqual(['first', 'end']);
        expect((await renew(lease)).cancelled).toMatchObject([{ id: 'first' }]);
        await settle(lease, { type: 'handed-back' });
        expect(await get('first')).toMatchObject({ state: 'cancelled' });
      }),
    );

    it(
      'finds the one of the step before it in the same call',
      withSchedules(setup, async ({ advanceAll, put, step, task, list, read, now }) => {
        const slot = await now();
        await put('a', slot);
        const steps = ['first', 'second', 'third'].map((id, index) =>
          step('a', slot + index * minute, { task: task({ id }), overlap: index < 2 ? 'replace' : 'skip' }),
        );
        expect(await advanceAll(steps)).toEqual([
          { status: 'advanced', added: { status: 'enqueued' } },
          { status: 'advanced', added: { status: 'enqueued' }, overlaps: 'first' },
          { status: 'advanced', overlaps: 'second' },
        ]);
        expect([await list('cancelled'), await list('waiting')]).toEqual([['first'], ['second']]);
        expect(await read('a')).toMatchObject({ fired: 2, skipped: 1, nextSlot: slot + 3 * minute });
      }),
    );
  });

  describe.each(['skip', 'replace'] as const)('a slot that would %s its predecessor', (overlap) => {
    const enqueued = { status: 'advanced', added: { status: 'enqueued' } };

    it.each(['succeeded', 'dead', 'cancelled'] as const)('makes its task when that one is %s', (state) =>
      withSchedules(setup, async (bundle) => {
        const { step, advanceOne, get } = bundle;
        const slot = await fired(bundle, state);
        const before = await get('first');
        expect(await advanceOne(step('a', slot, { overlap }))).toEqual(enqueued);
        expect(await get('first')).toEqual(before);
      })(),
    );

    it(
      'makes its task when that one is gone',
      withSchedules(setup, async (bundle) => {
        const { backend, queue, step, advanceOne } = bundle;
        const slot = await fired(bundle, 'waiting');
        await backend.catalog.remove([{ queue, id: 'first' }]);
        expect(await advanceOne(step('a', slot, { overlap }))).toEqual(enqueued);
      }),
    );

    it(
      'is not held up by one that died with its process, once its lease has ended',
      withSchedules(setup, async (bundle) => {
        const { step, advanceOne, advance, get, read } = bundle;
        const slot = await fired(bundle, 'pending', { retries: 0 });
        await advance(leaseMs);
        expect(await advanceOne(step('a', slot, { overlap }))).toEqual(enqueued);
        expect(await get('first')).toMatchObject({ cancelRequested: false });
        expect(await read('a')).toMatchObject({ fired: 2, skipped: 0 });
      }),
    );

    it(
      'is not held up by one that was asked to stop before its lease ended',
      withSchedules(setup, async (bundle) => {
        const { backend, queue, step, advanceOne, advance } = bundle;
        const slot = await fired(bundle, 'pending', { retries: 3 });
        await backend.catalog.cancel([{ queue, id: 'first' }]);
        await advance(leaseMs);
        expect(await advanceOne(step('a', slot, { overlap }))).toEqual(enqueued);
      }),
    );

    it(
      'sees one whose lease has ended, but which will run again, as live',
      withSchedules(setup, async (bundle) => {
        const { step, advanceOne, advance, claimIds, counts } = bundle;
        const slot = await fired(bundle, 'pending', { retries: 1 });
        await advance(leaseMs);
        expect(await advanceOne(step('a', slot, { overlap }))).toMatchObject({ overlaps: 'first' });
        const again = await claimIds();
        expect(again).toHaveLength(1);
        expect(await counts()).toEqual(overlap === 'skip' ? { pending: 1 } : { pending: 1, cancelled: 1 });
      }),
    );

    it(
      'sees one as live that a lock has kept from running, also after its lease has ended',
      withSchedules(setup, async (bundle) => {
        const { step, advanceOne, advance, start, claimOne, renew } = bundle;
        const lock = lockOf('while_executing', { onConflict: 'reschedule', retryAfterMs: 5_000 });
        const holder = await start({ lock });
        const slot = await fired(bundle, 'waiting', { lock, retries: 0 });
        expect(await claimOne()).toMatchObject({ id: 'first', conflictsWith: holder.id });
        await advance(leaseMs / 2);
        await renew(holder);
        await advance(leaseMs / 2);
        expect(await advanceOne(step('a', slot, { overlap }))).toMatchObject({ overlaps: 'first' });
      }),
    );

    it(
      'sees one without an attempt left as live while its lease lasts',
      withSchedules(setup, async (bundle) => {
        const { step, advanceOne, advanceToJustBefore } = bundle;
        const slot = await fired(bundle, 'pending', { retries: 0 });
        await advanceToJustBefore(leaseMs);
        expect(await advanceOne(step('a', slot, { overlap }))).toMatchObject({ overlaps: 'first' });
      }),
    );

    it(
      'looks at the task of the latest slot that made one, also after the schedule was replaced',
      withSchedules(setup, async (bundle) => {
        const { put, step, advanceOne } = bundle;
        const slot = await fired(bundle, 'pending');
        await advanceOne(step('a', slot, { task: undefined, skipped: 1 }));
        await put('a', slot + 1, { rule: 'another' });
        expect(await advanceOne(step('a', slot + 1, { overlap }))).toMatchObject({ overlaps: 'first' });
      }),
    );
  });
}
