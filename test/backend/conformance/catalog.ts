import { describe, expect, it } from '@jest/globals';
import type { TaskState } from '../../../lib/task/task-record.js';
import { boom, endingIn, leaseMs, retryAtOnce, success, type Setup } from './setup.js';

const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'];

export function describeCatalog(setup: Setup): void {
  describe('catalog reading', () => {
    it(
      'counts every state, those without tasks as 0',
      setup(async ({ backend, queue, bringTo }) => {
        const none = { scheduled: 0, waiting: 0, pending: 0, succeeded: 0, dead: 0, cancelled: 0, parked: 0 };
        expect(await backend.catalog.counts(queue)).toEqual(none);
        // The waiting one comes last: the others must be claimed on their way.
        for (const state of [...states.filter((other) => other !== 'waiting'), 'waiting'] as const)
          await bringTo(state);
        const oneEach = {
          scheduled: 1,
          waiting: 1,
          pending: 1,
          succeeded: 1,
          dead: 1,
          cancelled: 1,
          parked: 1,
        };
        expect(await backend.catalog.counts(queue)).toEqual(oneEach);
      }),
    );

    it(
      'finds no task of another id or queue',
      setup(async ({ enqueue, get, queueNamed }) => {
        await enqueue({ id: 'a' });
        expect(await get('b')).toBeUndefined();
        expect(await get('a', queueNamed('other'))).toBeUndefined();
      }),
    );

    it(
      'gives records that later changes do not touch',
      setup(async ({ backend, queue, start, settle, claimOne }) => {
        await settle(await start({ id: 'a' }), retryAtOnce);
        const read = await backend.catalog.get({ queue, id: 'a' });
        const [listed] = (await backend.catalog.list(queue, 'waiting', { limit: 1 })).tasks;
        await settle(await claimOne(), { type: 'dead', error: boom, keepMs: 60_000 });
        for (const record of [read, listed]) {
          expect(record).toMatchObject({ state: 'waiting', attempt: 1, failures: 1 });
          expect(record?.errors).toHaveLength(1);
        }
      }),
    );

    it(
      'knows every queue that has held a task, also an empty one',
      setup(async ({ backend, queueNamed, enqueue, start, settle }) => {
        const [held, empty, never] = [queueNamed('held'), queueNamed('empty'), queueNamed('never')];
        await enqueue({ queue: held });
        await settle(await start({ queue: empty }), { type: 'succeeded', keepMs: 0 });
        await backend.catalog.counts(never);
        const queues = await backend.catalog.queues();
        expect(queues).toEqual(expect.arrayContaining([held, empty]));
        expect(queues).not.toContain(never);
        expect(new Set(queues).size).toBe(queues.length);
      }),
    );
  });

  describe('catalog list', () => {
    it(
      'gives waiting tasks in the order of claims, scheduled ones by due time',
      setup(async ({ add, list }) => {
        await add(
          { id: 'w3' },
          { id: 'w1', priority: -1 },
          { id: 'w4' },
          { id: 'w2', due: { inMs: -60_000 } },
        );
        await add(...[3, 1, 2].map((n) => ({ id: `s${n}`, due: { inMs: n * 60_000 }, priority: -n })));
        expect(await list('waiting')).toEqual(['w1', 'w2', 'w3', 'w4']);
        expect(await list('scheduled')).toEqual(['s1', 's2', 's3']);
      }),
    );

    it(
      'gives pending tasks by their arrival, kept ones by the end of their time',
      setup(async ({ start, settle, renew, advance, list }) => {
        const first = await start({ id: 'p-renewed' });
        await start({ id: 'p-first' });
        await advance(10_000);
        await start({ id: 'p-second' });
        await advance(10_000);
        await renew(first);
        expect(await list('pending')).toEqual(['p-renewed', 'p-first', 'p-second']);
        for (const keepMs of [90_000, 60_000, 120_000]) {
          await settle(await start({ id: `${keepMs}` }), { type: 'dead', error: boom, keepMs });
        }
        expect(await list('dead')).toEqual(['60000', '90000', '120000']);
      }),
    );

    it(
      'gives whole records of this state and queue alone',
      setup(async ({ backend, queue, queueNamed, enqueue, get }) => {
        await enqueue({ id: 'a', params: '1' });
        await enqueue({ id: 'b', due: { inMs: 60_000 } });
        await enqueue({ id: 'c', queue: queueNamed('other') });
        const { tasks } = await backend.catalog.list(queue, 'waiting', { limit: 9 });
        expect(tasks).toEqual([await get('a')]);
      }),
    );
  });

  describe('catalog retry', () => {
    it.each(['dead', 'cancelled', 'parked'] as const)(
      'starts a %s task anew, its failures still on record',
      (state) =>
        setup(
          async ({ backend, queue, start, settle, claimOne, advance, get, counts, now, about, claim }) => {
            await settle(await start({ id: 'a' }), retryAtOnce);
            await settle(await claimOne(), endingIn(state, 60_000));
            const { errors } = (await get('a'))!;
            expect(errors.length).toBeGreaterThan(0);
            await advance(10_000);
            expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
            const restarted = (await get('a'))!;
            const fresh = { state: 'waiting', dueAt: about(await now()), attempt: 0, failures: 0, errors };
            expect(restarted).toMatchObject(fresh);
            expect([restarted.reason, restarted.finishedAt]).toEqual([undefined, undefined]);
            expect(await counts()).toEqual({ waiting: 1 });
            expect((await claim()).tasks).toMatchObject([{ id: 'a', attempt: 1, failures: 0 }]);
            await advance(60_000);
            expect(await get('a')).toMatchObject({ state: 'pending' });
          },
        )(),
    );

    it.each([
      { of: 'an id of its own', given: {}, how: 'by itself' },
      { of: 'an id of its own', given: {}, how: 'with the next claim' },
      { of: 'a given id', given: { token: 'another' }, how: 'by itself' },
      { of: 'a given id', given: { token: 'another' }, how: 'with the next claim' },
    ])(
      'of a task with $of that then succeeds leaves nothing of it to a later one, settled $how',
      ({ given, how }) =>
        setup(async ({ backend, queue, start, settle, claim, claimOne, get, enqueue }) => {
          const fields = { id: 'a', token: 'a', ...given };
          await settle(await start(fields), endingIn('dead', 60_000));
          expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['done']);
          const settling = settle(await claimOne(), success);
          if (how !== 'by itself') await claim({ queues: [{ queue, limit: 1 }], limit: 1 });
          expect(await settling).toBe('settled');
          expect(await get('a')).toBeUndefined();
          await enqueue(fields);
          expect(await get('a')).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, errors: [] });
          await settle(await claimOne(), retryAtOnce);
          expect((await get('a'))?.errors).toHaveLength(1);
        })(),
    );

    it.each(['scheduled', 'waiting', 'pending', 'succeeded'] as const)('leaves a %s task', (state) =>
      setup(async ({ backend, queue, bringTo, get }) => {
        await bringTo(state, { id: 'a' });
        const before = await get('a');
        expect(await backend.catalog.retry([{ queue, id: 'a' }])).toEqual(['left']);
        expect(await get('a')).toEqual(before);
      })(),
    );

    it(
      'answers per task, in order',
      setup(async ({ backend, queue, bringTo }) => {
        await bringTo('dead', { id: 'dead' });
        await bringTo('scheduled', { id: 'scheduled' });
        const refs = ['scheduled', 'unknown', 'dead'].map((id) => ({ queue, id }));
        expect(await backend.catalog.retry(refs)).toEqual(['left', 'missing', 'done']);
      }),
    );
  });

  describe('catalog remove', () => {
    it.each(states.filter((state) => state !== 'pending'))('takes a %s task away and frees its id', (state) =>
      setup(async ({ backend, queue, bringTo, get, counts, add, advance, claimIds }) => {
        await bringTo(state, { id: 'a', job: 'Old' });
        expect(await backend.catalog.remove([{ queue, id: 'a' }])).toEqual(['done']);
        expect(await get('a')).toBeUndefined();
        expect(await counts()).toEqual({});
        await advance(60_000);
        expect(await claimIds({ declares: ['Old'] })).toEqual([]);
        expect(await add({ id: 'a' })).toEqual([{ status: 'enqueued' }]);
      })(),
    );

    it(
      'leaves a pending task and misses an unknown one',
      setup(async ({ backend, queue, start, get }) => {
        await start({ id: 'a' });
        const refs = ['a', 'unknown'].map((id) => ({ queue, id }));
        expect(await backend.catalog.remove(refs)).toEqual(['left', 'missing']);
        expect(await get('a')).toMatchObject({ state: 'pending' });
      }),
    );
  });

  describe('catalog runNow', () => {
    it(
      'makes a scheduled task due now, behind those that have been due longer',
      setup(async ({ backend, queue, add, advance, get, now, about, claimIds }) => {
        await add({ id: 'a', due: { inMs: 600_000 } }, { id: 'b' });
        await advance(10_000);
        expect(await backend.catalog.runNow([{ queue, id: 'a' }])).toEqual(['done']);
        expect(await get('a')).toMatchObject({ state: 'waiting', dueAt: about(await now()) });
        expect(await claimIds()).toEqual(['b', 'a']);
      }),
    );

    it(
      'costs a retried task nothing but its delay',
      setup(async ({ backend, queue, start, settle, claim }) => {
        await settle(await start({ id: 'a' }), { type: 'retry', error: boom, delayMs: 10 * leaseMs });
        expect(await backend.catalog.runNow([{ queue, id: 'a' }])).toEqual(['done']);
        expect((await claim()).tasks).toMatchObject([{ id: 'a', attempt: 2, failures: 1 }]);
      }),
    );

    it.each(states.filter((state) => state !== 'scheduled'))('leaves a %s task', (state) =>
      setup(async ({ backend, queue, bringTo, get }) => {
        await bringTo(state, { id: 'a' });
        const before = await get('a');
        const refs = ['a', 'unknown'].map((id) => ({ queue, id }));
        expect(await backend.catalog.runNow(refs)).toEqual(['left', 'missing']);
        expect(await get('a')).toEqual(before);
      })(),
    );
  });

  describe('catalog acts on a task that was seen in a state', () => {
    const acts = ['retry', 'cancel', 'remove', 'runNow'] as const;

    it.each(acts)('%s leaves it where it is in another one by now', (act) =>
      setup(async ({ backend, queue, bringTo, get }) => {
        // What waits would be claimed in the place of what is to run.
        const ids = [...states.filter((state) => state !== 'waiting'), 'waiting'] as const;
        for (const state of ids) await bringTo(state, { id: state });
        const all = () => Promise.all(ids.map((id) => get(id)));
        const before = await all();
        const moved = ids.map((id) => ({ queue, id, state: states.find((state) => state !== id)! }));
        expect(await backend.catalog[act](moved)).toEqual(ids.map(() => 'left'));
        expect(await all()).toEqual(before);
      })(),
    );

    it.each([
      ['retry', 'dead', 'waiting'],
      ['cancel', 'waiting', 'cancelled'],
      ['remove', 'dead', undefined],
      ['runNow', 'scheduled', 'waiting'],
    ] as const)('%s does what it does where the task is still %s', (act, state, then) =>
      setup(async ({ backend, queue, bringTo, get }) => {
        await bringTo(state, { id: 'a' });
        const refs = [
          { queue, id: 'a', state },
          { queue, id: 'unknown', state },
        ];
        expect(await backend.catalog[act](refs)).toEqual(['done', 'missing']);
        expect((await get('a'))?.state).toBe(then);
      })(),
    );
  });
}
