import { describe, expect, it } from '@jest/globals';
import { leaseMs, type Setup, success } from './setup.js';

export function describePause(setup: Setup): void {
  describe('pause', () => {
    it(
      'stops claims from its queue, while enqueueing goes on, until resume',
      setup(async ({ backend, queue, enqueue, claimIds, counts }) => {
        await enqueue({ id: 'before' });
        await backend.catalog.pause(queue);
        expect(await backend.catalog.isPaused(queue)).toBe(true);
        await enqueue({ id: 'meanwhile' });
        expect(await claimIds()).toEqual([]);
        expect(await counts()).toEqual({ waiting: 2 });
        await backend.catalog.resume(queue);
        expect(await backend.catalog.isPaused(queue)).toBe(false);
        expect(await claimIds()).toEqual(['before', 'meanwhile']);
      }),
    );

    it(
      'ends by itself after its time, and not before',
      setup(async ({ backend, queue, enqueue, advanceToJustBefore, advance, claimIds }) => {
        await enqueue({ id: 'a' });
        await backend.catalog.pause(queue, 60_000);
        const missing = await advanceToJustBefore(60_000);
        expect(await backend.catalog.isPaused(queue)).toBe(true);
        expect(await claimIds()).toEqual([]);
        await advance(missing);
        expect(await backend.catalog.isPaused(queue)).toBe(false);
        expect(await claimIds()).toEqual(['a']);
      }),
    );

    it(
      'without a time does not end by itself',
      setup(async ({ backend, queue, enqueue, advance, claimIds }) => {
        await enqueue();
        await backend.catalog.pause(queue);
        await advance(10 * 365 * 86_400_000);
        expect(await backend.catalog.isPaused(queue)).toBe(true);
        expect(await claimIds()).toEqual([]);
      }),
    );

    it(
      'said again counts anew: the last word holds',
      setup(async ({ backend, queue, enqueue, advance, claimIds }) => {
        await enqueue({ id: 'a' });
        await backend.catalog.pause(queue);
        await backend.catalog.pause(queue, 30_000);
        await advance(20_000);
        await backend.catalog.pause(queue, 30_000);
        await advance(20_000);
        expect(await claimIds()).toEqual([]);
        await advance(10_000);
        expect(await claimIds()).toEqual(['a']);
      }),
    );

    it(
      'leaves other queues alone',
      setup(async ({ backend, queueNamed, add, claim, about }) => {
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        await add({ queue: x, id: 'x' }, { queue: y, id: 'y1' }, { queue: y, id: 'y2' });
        await backend.catalog.pause(x);
        const { tasks, nextInMs } = await claim({
          queues: [x, y].map((queue) => ({ queue, limit: 9 })),
          limit: 2,
        });
        expect(tasks.map(({ id }) => id)).toEqual(['y1', 'y2']);
        expect(nextInMs).toEqual([Infinity, about(leaseMs)]);
        expect(await backend.catalog.isPaused(y)).toBe(false);
      }),
    );

    it(
      'lets running tasks renew and settle',
      setup(async ({ backend, queue, start, renew, settle, advance, counts }) => {
        const lease = await start();
        await backend.catalog.pause(queue);
        await advance(20_000);
        expect(await renew(lease)).toEqual({ lost: [], cancelled: [] });
        expect(await settle(lease, success)).toBe('settled');
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'holds back what falls due or loses its lease meanwhile',
      setup(async ({ backend, queue, start, enqueue, advance, claimIds }) => {
        await start({ id: 'lost' });
        await enqueue({ id: 'due', due: { inMs: 10_000 } });
        await backend.catalog.pause(queue);
        await advance(leaseMs);
        expect(await claimIds()).toEqual([]);
        await backend.catalog.resume(queue);
        expect(await claimIds()).toEqual(['lost', 'due']);
      }),
    );

    it(
      'can be said of a queue that holds nothing yet, and resume of one that is not paused',
      setup(async ({ backend, queue, enqueue, claimIds }) => {
        await backend.catalog.resume(queue);
        expect(await backend.catalog.isPaused(queue)).toBe(false);
        await backend.catalog.pause(queue);
        await enqueue();
        expect(await claimIds()).toEqual([]);
      }),
    );
  });
}
