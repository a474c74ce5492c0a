import { describe, expect, it } from '@jest/globals';
import type { Lease, Outcome } from '../../../lib/task/outcome.js';
import { keptLines, type TaskLine, type TaskNotes } from '../../../lib/task/task-record.js';
import {
  boom,
  endingIn,
  finalStates,
  leaseMs,
  leaseOf,
  lockOf,
  retryAtOnce,
  type Bundle,
  type Setup,
} from './setup.js';

const line = (n: number): TaskLine => ({ at: 1_000 + n, message: `line ${n}` });
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => line(from + n));
const half = { progress: { percent: 50, note: 'half' }, lines: lines(0, 2) };
const givenBack: Outcome[] = [
  { type: 'snoozed', delayMs: 0 },
  { type: 'conflict', delayMs: 0 },
  { type: 'handed-back' },
];

/** Bundles of tests about notes. */
export function annotating(bundle: Bundle) {
  const { backend, get } = bundle;
  const annotate = (lease: Lease, notes: TaskNotes) => backend.tasks.annotate([{ ...leaseOf(lease), notes }]);
  const settleWith = async (lease: Lease, outcome: Outcome, notes: TaskNotes, repeat?: boolean) =>
    (await backend.tasks.settle([{ ...leaseOf(lease), outcome, notes, repeat }]))[0]!;
  const notesOf = async (id: string, queue?: string) => {
    const { progress, lines = [] } = (await get(id, queue))!;
    return { progress, lines };
  };
  return { ...bundle, annotate, settleWith, notesOf };
}

export function describeNotes(setup: Setup): void {
  describe('notes of a run', () => {
    it(
      'are on the record: the latest progress, and lines one after the other',
      setup(async (bundle) => {
        const { start, annotate, notesOf, backend, queue } = annotating(bundle);
        const lease = await start({ id: 'a' });
        expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
        await annotate(lease, { progress: { percent: 12.5, note: 'page 1' } });
        expect(await notesOf('a')).toEqual({ progress: { percent: 12.5, note: 'page 1' }, lines: [] });
        await annotate(lease, { lines: lines(0, 2) });
        await annotate(lease, { progress: { percent: 10 }, lines: lines(2, 3) });
        expect(await notesOf('a')).toEqual({ progress: { percent: 10 }, lines: lines(0, 3) });
        await annotate(lease, {});
        await annotate(lease, { progress: { percent: 0, note: '' }, lines: [] });
        const { progress } = await notesOf('a');
        expect({ ...progress, note: progress?.note ?? '' }).toEqual({ percent: 0, note: '' });
        const { tasks } = await backend.catalog.list(queue, 'pending', { limit: 1 });
        expect(tasks).toMatchObject([{ id: 'a', progress: { percent: 0 }, lines: lines(0, 3) }]);
      }),
    );

    it(
      'keep the latest lines alone',
      setup(async (bundle) => {
        const { start, annotate, settleWith, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a' });
        for (const from of [0, 40, 80]) await annotate(lease, { lines: lines(from, from + 40) });
        expect((await notesOf('a')).lines).toEqual(lines(120 - keptLines, 120));
        await annotate(lease, { lines: lines(200, 200 + keptLines) });
        expect((await notesOf('a')).lines).toEqual(lines(200, 200 + keptLines));
        await settleWith(lease, retryAtOnce, { lines: lines(500, 507) });
        expect((await notesOf('a')).lines).toEqual([...lines(207, 300), ...lines(500, 507)]);
      }),
    );

    it(
      'are kept to the letter',
      setup(async (bundle) => {
        const { start, annotate, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a:b|c' });
        const texts = ['', '\n\r\t', '\x1e|\x1f\x1d', '"\\\'', '\u{1f600} ü', '[null]', "'); --", '%s $1 {}'];
        for (const [index, message] of texts.entries())
          await annotate(lease, {
            progress: { percent: index, note: `.${message}` },
            lines: [{ at: index, message }],
          });
        const { progress, lines: kept } = await notesOf('a:b|c');
        expect(progress).toEqual({ percent: texts.length - 1, note: `.${texts.at(-1)}` });
        expect(kept).toEqual(texts.map((message, at) => ({ at, message })));
      }),
    );

    it(
      'can be written of many tasks of several queues at once, some of them not there',
      setup(async (bundle) => {
        const { start, queueNamed, backend, notesOf, get, counts } = annotating(bundle);
        const other = queueNamed('other');
        const leases = [
          await start({ id: 'a' }),
          await start({ id: 'b' }),
          await start({ id: 'a', queue: other }),
        ];
        const noted = (lease: Lease, percent: number) => ({
          ...leaseOf(lease),
          notes: { progress: { percent }, lines: [line(percent)] },
        });
        await backend.tasks.annotate([
          { ...noted(leases[0]!, 99), id: 'missing' },
          { ...noted(leases[0]!, 99), queue: queueNamed('unknown') },
          ...leases.map(noted),
          noted(leases[0]!, 7),
        ]);
        expect(await notesOf('a')).toEqual({ progress: { percent: 7 }, lines: [line(0), line(7)] });
        expect(await notesOf('b')).toEqual({ progress: { percent: 1 }, lines: [line(1)] });
        expect(await notesOf('a', other)).toEqual({ progress: { percent: 2 }, lines: [line(2)] });
        expect(await get('missing')).toBeUndefined();
        expect(await counts()).toEqual({ pending: 2 });
        await backend.tasks.annotate([]);
      }),
    );

    it(
      'change nothing else of the task',
      setup(async (bundle) => {
        const { start, annotate, get, list, advance, claimIds } = annotating(bundle);
        const first = await start({ id: 'a' });
        await advance(10_000);
        await start({ id: 'b' });
        const before = await get('a');
        await annotate(first, half);
        expect(await get('a')).toEqual({ ...before, ...half });
        expect(await list('pending')).toEqual(['a', 'b']);
        await advance(leaseMs - 10_000);
        expect(await claimIds()).toEqual(['a']);
      }),
    );
  });

  describe('notes of a run that has lost its task', () => {
    it.each([
      ...[retryAtOnce, ...givenBack, endingIn('dead', 60_000), endingIn('parked', 0)],
      endingIn('succeeded', 60_000),
    ])('are not written after the outcome $type', (outcome) =>
      setup(async (bundle) => {
        const { start, annotate, settle, get, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a' });
        await annotate(lease, half);
        await settle(lease, outcome);
        const before = await get('a');
        await annotate(lease, { progress: { percent: 99 }, lines: lines(7, 9) });
        expect(await get('a')).toEqual(before);
        expect(await notesOf('a')).toEqual(half);
      })(),
    );

    it.each(['another run has it', 'another task has its id'])('are not written where %s', (why) =>
      setup(async (bundle) => {
        const { start, annotate, settle, advance, claimOne, get, enqueue, noteEntries, queue } =
          annotating(bundle);
        const lease = await start({ id: 'a' });
        if (why === 'another run has it') {
          await advance(leaseMs);
          await claimOne({ runner: 'runner-2' });
        } else {
          await settle(lease, endingIn('succeeded', 0));
          await enqueue({ id: 'a' });
          await claimOne();
        }
        const before = await get('a');
        await annotate(lease, half);
        expect(await get('a')).toEqual(before);
        expect(await noteEntries(queue)).toEqual([]);
      })(),
    );

    it(
      'are not written, nor kept, where the task is gone',
      setup(async (bundle) => {
        const { start, annotate, settle, noteEntries, queue, enqueue, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a' });
        await settle(lease, endingIn('succeeded', 0));
        await annotate(lease, half);
        expect(await noteEntries(queue)).toEqual([]);
        await enqueue({ id: 'a' });
        expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
      }),
    );
  });

  describe('notes of earlier runs', () => {
    it.each([retryAtOnce, ...givenBack])(
      'outlast the outcome $type, and the next run adds to them',
      (outcome) =>
        setup(async (bundle) => {
          const { start, annotate, settle, claimOne, notesOf } = annotating(bundle);
          const lease = await start({ id: 'a' });
          await annotate(lease, half);
          await settle(lease, outcome);
          expect(await notesOf('a')).toEqual(half);
          const again = await claimOne();
          await annotate(again, { lines: lines(2, 4) });
          expect(await notesOf('a')).toEqual({ ...half, lines: lines(0, 4) });
        })(),
    );

    it(
      'outlast a lost lease, a pause in the parking lot, and an end that is kept',
      setup(async (bundle) => {
        const { start, annotate, settle, advance, claimOne, notesOf, backend, queue } = annotating(bundle);
        await annotate(await start({ id: 'a' }), half);
        await advance(leaseMs);
        const again = await claimOne();
        expect(await notesOf('a')).toEqual(half);
        await settle(again, { type: 'parked', reason: 'unreadable', fingerprint: 'old' });
        expect(await notesOf('a')).toEqual(half);
        await backend.tasks.unpark(queue, [{ job: 'Job', fingerprint: 'new' }]);
        expect(await notesOf('a')).toEqual(half);
        for (const state of finalStates) {
          const lease = state === 'succeeded' ? await claimOne() : await start({ id: state });
          await annotate(lease, half);
          await settle(lease, endingIn(state, 60_000));
          const { progress, lines: kept } = await notesOf(lease.id);
          expect({ progress, last: kept.slice(-2) }).toEqual({ progress: half.progress, last: half.lines });
        }
      }),
    );

    it.each(['dead', 'cancelled', 'parked'] as const)('go when a %s task is started anew', (state) =>
      setup(async (bundle) => {
        const { start, annotate, settle, backend, queue, notesOf, noteEntries, claimOne } =
          annotating(bundle);
        const lease = await start({ id: 'a' });
        await annotate(lease, half);
        await settle(lease, endingIn(state, 60_000));
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
        expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
        expect(await noteEntries(queue)).toEqual([]);
        await annotate(await claimOne(), { lines: [line(9)] });
        expect(await notesOf('a')).toEqual({ progress: undefined, lines: [line(9)] });
      })(),
    );

    it.each([retryAtOnce, endingIn('parked', 0), ...finalStates.map((state) => endingIn(state, 60_000))])(
      'go when the task is replaced after the outcome $type',
      (outcome) =>
        setup(async (bundle) => {
          const { start, annotate, settle, add, queue, notesOf, noteEntries } = annotating(bundle);
          const lease = await start({ id: 'a' });
          await annotate(lease, half);
          await settle(lease, outcome);
          expect(await add({ id: 'a', replace: true })).toEqual([{ status: 'replaced' }]);
          expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
          expect(await noteEntries(queue)).toEqual([]);
        })(),
    );

    it(
      'go when another task of its lock replaces it',
      setup(async (bundle) => {
        const { start, annotate, settle, add, queue, notesOf, noteEntries } = annotating(bundle);
        const lock = lockOf('until_completed', { onConflict: 'replace' });
        const lease = await start({ id: 'a', lock });
        await annotate(lease, half);
        await settle(lease, endingIn('parked', 0));
        expect(await add({ id: 'b', lock })).toEqual([{ status: 'replaced', holder: 'a' }]);
        expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
        expect(await noteEntries(queue)).toEqual([]);
      }),
    );

    it.each(['it is dead', 'it was cancelled', 'it was removed', 'its time was over'])(
      'are not those of a later task that has its id because %s',
      (why) =>
        setup(async (bundle) => {
          const { start, annotate, settle, backend, queue, advance, enqueue, notesOf } = annotating(bundle);
          const { noteEntries } = bundle;
          const lease = await start({ id: 'a' });
          await annotate(lease, half);
          await settle(lease, endingIn(why === 'it was cancelled' ? 'cancelled' : 'dead', 60_000));
          if (why === 'it was removed') {
            expect(await backend.catalog.remove([{ queue, id: 'a' }])).toEqual(['done']);
            expect(await noteEntries(queue)).toEqual([]);
          }
          if (why === 'its time was over') await advance(60_000);
          await enqueue({ id: 'a' });
          expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
          expect(await noteEntries(queue)).toEqual([]);
        })(),
    );

    it(
      'go with a task whose time is over',
      setup(async (bundle) => {
        const { start, annotate, settle, queue, advance, claim, noteEntries } = annotating(bundle);
        for (const state of finalStates) {
          const lease = await start({ id: state });
          await annotate(lease, half);
          await settle(lease, endingIn(state, 60_000));
        }
        expect((await noteEntries(queue)).toSorted()).toEqual(finalStates.toSorted());
        await advance(60_000);
        await claim({ declares: ['Job'] });
        expect(await noteEntries(queue)).toEqual([]);
      }),
    );
  });
}

/** Those of the last run, told together with what it ended in. */
export function describeNotesOfOutcomes(setup: Setup): void {
  describe('notes that come with an outcome', () => {
    it.each([
      ...[retryAtOnce, ...givenBack, endingIn('parked', 0)],
      ...finalStates.map((state) => endingIn(state, 60_000)),
    ])('$type are written with it', (outcome) =>
      setup(async (bundle) => {
        const { start, annotate, settleWith, notesOf } = annotating(bundle);
        const silent = await start({ id: 'silent' });
        expect(await settleWith(silent, endingIn('dead', 60_000), half)).toBe('settled');
        expect(await notesOf('silent')).toEqual(half);
        const lease = await start({ id: 'a' });
        await annotate(lease, half);
        const last = { progress: { percent: 100 }, lines: lines(2, 3) };
        expect(await settleWith(lease, outcome, last)).toBe('settled');
        expect(await notesOf('a')).toEqual({ progress: { percent: 100 }, lines: lines(0, 3) });
      })(),
    );

    it(
      'are written once, though it is told again',
      setup(async (bundle) => {
        const { start, settleWith, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a' });
        const outcome: Outcome = { type: 'dead', error: boom, keepMs: 60_000 };
        expect(await settleWith(lease, outcome, half)).toBe('settled');
        expect(await settleWith(lease, outcome, half, true)).toBe('settled');
        expect(await notesOf('a')).toEqual(half);
      }),
    );

    it(
      'are not written where it is lost',
      setup(async (bundle) => {
        const { start, settleWith, advance, claimOne, get, queue, noteEntries } = annotating(bundle);
        const lease = await start({ id: 'a' });
        await advance(leaseMs);
        await claimOne();
        const before = await get('a');
        for (const outcome of [retryAtOnce, endingIn('succeeded', 60_000)])
          expect(await settleWith(lease, outcome, half)).toBe('lost');
        expect(await get('a')).toEqual(before);
        expect(await noteEntries(queue)).toEqual([]);
      }),
    );

    it(
      'are written with a late success that still counts',
      setup(async (bundle) => {
        const { start, settleWith, advance, enqueue, claimIds, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a' });
        await advance(leaseMs);
        await enqueue({ id: 'urgent', priority: -1 });
        expect(await claimIds({ limit: 1 })).toEqual(['urgent']);
        expect(await settleWith(lease, endingIn('succeeded', 60_000), half)).toBe('settled');
        expect(await notesOf('a')).toEqual(half);
      }),
    );

    it(
      'are written where the task was asked to stop',
      setup(async (bundle) => {
        const { start, settleWith, backend, queue, get, notesOf } = annotating(bundle);
        const lease = await start({ id: 'a' });
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        expect(await settleWith(lease, retryAtOnce, half)).toBe('cancelled');
        expect(await get('a')).toMatchObject({ state: 'cancelled' });
        expect(await notesOf('a')).toEqual(half);
      }),
    );

    const vanishing = (['succeeded', 'dead', 'cancelled'] as const).flatMap((state) =>
      ['before', 'with it', 'before and with it'].flatMap((when) =>
        ['by itself', 'with the next claim'].map((how) => ({ state, when, how })),
      ),
    );
    it.each(vanishing)(
      'of a task that vanishes as $state, told $when and settled $how, leave nothing behind',
      ({ state, when, how }) =>
        setup(async (bundle) => {
          const { start, annotate, settle, settleWith, claim, get, enqueue, queue, noteEntries, notesOf } =
            annotating(bundle);
          const lease = await start({ id: 'a', token: 'first' });
          const beside = await start({ id: 'beside' });
          await annotate(beside, half);
          if (when !== 'with it') await annotate(lease, half);
          const outcome = endingIn(state, 0);
          const settling = when === 'before' ? settle(lease, outcome) : settleWith(lease, outcome, half);
          if (how !== 'by itself') await claim({ queues: [{ queue, limit: 1 }], limit: 1 });
          expect(await settling).toBe('settled');
          expect(await get('a')).toBeUndefined();
          expect(await noteEntries(queue)).toEqual(['beside']);
          await enqueue({ id: 'a', token: 'second' });
          expect(await notesOf('a')).toEqual({ progress: undefined, lines: [] });
          expect(await notesOf('beside')).toEqual(half);
        })(),
    );
  });
}
