import { describe, expect, it } from '@jest/globals';
import { endingIn, leaseMs, type Setup, success } from './setup.js';

const none = { scheduled: 0, waiting: 0, pending: 0, succeeded: 0, dead: 0, cancelled: 0, parked: 0 };

export function describeGlance(setup: Setup): void {
  describe('catalog glance', () => {
    it(
      'counts the states of queues, in the order asked for, an unknown queue as one without tasks',
      setup(async ({ backend, queue, queueNamed, bringTo, enqueue }) => {
        const [other, unknown] = [queueNamed('other'), queueNamed('unknown')];
        for (const state of ['scheduled', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'] as const)
          await bringTo(state);
        await enqueue();
        await enqueue();
        await enqueue({ queue: other });
        const [first, second, third] = await backend.catalog.glance([unknown, queue, other]);
        expect(first).toEqual({ queue: unknown, counts: none, depth: 0 });
        expect(second).toMatchObject({ queue, counts: await backend.catalog.counts(queue) });
        expect(second!.counts).toMatchObject({ waiting: 2, dead: 1 });
        expect(third).toMatchObject({ queue: other, counts: { ...none, waiting: 1 } });
        expect(await backend.catalog.glance([])).toEqual([]);
        expect(await backend.catalog.queues()).not.toContain(unknown);
      }),
    );

    it(
      'tells how long the one that has been due longest has waited, whatever its priority',
      setup(async ({ backend, queue, enqueue, advance, about, claimIds }) => {
        const oldest = async () => (await backend.catalog.glance([queue]))[0]!.oldestWaitingMs;
        await enqueue({ id: 'early', priority: 5 });
        await advance(10_000);
        await enqueue({ id: 'later', priority: 1_000 });
        await advance(10_000);
        await enqueue({ id: 'first', priority: -1_000 });
        await enqueue({ id: 'second', priority: 0 });
        await advance(10_000);
        expect(await oldest()).toEqual(about(30_000));
        expect(await claimIds({ limit: 2 })).toEqual(['first', 'second']);
        expect(await oldest()).toEqual(about(30_000));
        expect(await backend.catalog.remove([{ queue, id: 'early' }])).toEqual(['done']);
        expect(await oldest()).toEqual(about(20_000));
        await enqueue({ id: 'overdue', priority: 7, due: { inMs: -60_000 } });
        expect(await oldest()).toEqual(about(60_000));
        await advance(5_000);
        expect(await oldest()).toEqual(about(65_000));
      }),
    );

    it(
      'tells no age where none waits',
      setup(async ({ backend, queue, bringTo, start, settle }) => {
        const oldest = async () => (await backend.catalog.glance([queue]))[0]!.oldestWaitingMs;
        expect(await oldest()).toBeUndefined();
        for (const state of ['pending', 'dead', 'parked', 'scheduled'] as const) await bringTo(state);
        expect(await oldest()).toBeUndefined();
        await settle(await start(), success);
        expect(await oldest()).toBeUndefined();
      }),
    );

    it(
      'counts the age of a task that has fallen due, though no claim has moved it yet',
      setup(async ({ backend, queue, enqueue, advance, about, claimIds }) => {
        const oldest = async () => (await backend.catalog.glance([queue]))[0]!.oldestWaitingMs;
        await enqueue({ id: 'a', due: { inMs: 60_000 }, priority: 3 });
        await advance(70_000);
        await enqueue({ id: 'b' });
        await advance(20_000);
        expect(await oldest()).toEqual(about(30_000));
        expect(await claimIds({ limit: 1 })).toEqual(['b']);
        expect(await oldest()).toEqual(about(30_000));
        expect(await claimIds({ limit: 1 })).toEqual(['a']);
        expect(await oldest()).toBeUndefined();
      }),
    );

    it(
      'counts as depth what a claim could take: all that wait and all that have fallen due',
      setup(async ({ backend, queue, queueNamed, add, advance, claimIds, bringTo }) => {
        const depth = async () => (await backend.catalog.glance([queueNamed('idle'), queue]))[1]!.depth;
        expect(await depth()).toBe(0);
        for (const state of ['pending', 'dead', 'parked', 'scheduled'] as const) await bringTo(state);
        expect(await depth()).toBe(0);
        await add(...Array.from({ length: 300 }, () => ({ due: { inMs: 10_000 } })));
        await add({ due: { inMs: 1_000 }, priority: 5 }, {}, { priority: -5 });
        expect(await depth()).toBe(2);
        await advance(5_000);
        expect(await depth()).toBe(3);
        await advance(10_000);
        expect(await depth()).toBe(303);
        expect(await claimIds({ limit: 100 })).toHaveLength(100);
        expect(await depth()).toBe(203);
      }),
    );

    it(
      'counts the age anew for a task that was retried, and goes on for one whose lease was lost',
      setup(async ({ backend, queue, start, settle, advance, enqueue, claimIds, claimOne, about }) => {
        const oldest = async () => (await backend.catalog.glance([queue]))[0]!.oldestWaitingMs;
        await start({ id: 'lost' });
        await advance(leaseMs);
        await enqueue({ id: 'urgent', priority: -1 });
        expect(await claimIds({ limit: 1 })).toEqual(['urgent']);
        expect(await oldest()).toEqual(about(leaseMs));
        const again = await claimOne();
        await settle(again, { type: 'retry', error: { name: 'Error', message: 'boom' }, delayMs: 0 });
        await advance(10_000);
        expect(await oldest()).toEqual(about(10_000));
      }),
    );

    it(
      'tells how long a queue is still paused',
      setup(async ({ backend, queue, queueNamed, advance, about }) => {
        const { catalog } = backend;
        const other = queueNamed('other');
        const pausedForMs = async () => (await catalog.glance([queue]))[0]!.pausedForMs;
        expect(await pausedForMs()).toBeUndefined();
        await catalog.pause(queue, 60_000);
        await catalog.pause(other);
        await advance(20_000);
        expect(await pausedForMs()).toEqual(about(40_000));
        expect((await catalog.glance([other]))[0]).toMatchObject({ counts: none, pausedForMs: Infinity });
        await advance(40_000);
        expect(await pausedForMs()).toBeUndefined();
        await catalog.pause(queue);
        expect(await pausedForMs()).toBe(Infinity);
        await catalog.resume(queue);
        expect(await pausedForMs()).toBeUndefined();
      }),
    );

    it(
      'counts no finished task whose time is over, once a claim has come by',
      setup(async ({ backend, queue, start, settle, advance, claim }) => {
        for (const state of ['succeeded', 'dead', 'cancelled'] as const)
          await settle(await start(), endingIn(state, 60_000));
        await advance(60_000);
        await claim();
        expect((await backend.catalog.glance([queue]))[0]!.counts).toEqual(none);
      }),
    );
  });
}
