import { describe, expect, it } from '@jest/globals';
import { leaseMs, type Setup } from './setup.js';

export function describeNextLook(setup: Setup): void {
  describe('claim says when to look again', () => {
    it(
      'at once while due work remains',
      setup(async ({ queue, add, claim }) => {
        await add({}, {}, {});
        expect((await claim({ limit: 1 })).nextInMs).toEqual([0]);
        expect((await claim({ queues: [{ queue, limit: 1 }] })).nextInMs).toEqual([0]);
        expect((await claim({ limit: 1 })).nextInMs).not.toEqual([0]);
      }),
    );

    it(
      'when the earliest scheduled task is due',
      setup(async ({ add, claim, advance, about }) => {
        await add({ due: { inMs: 90_000 } }, { due: { inMs: 60_000 } });
        expect((await claim()).nextInMs).toEqual([about(60_000)]);
        await advance(20_000);
        expect((await claim()).nextInMs).toEqual([about(40_000)]);
      }),
    );

    it(
      'when the earliest lease ends, its own included',
      setup(async ({ enqueue, claim, advance, renew, about }) => {
        await enqueue();
        const { tasks, nextInMs } = await claim();
        expect(nextInMs).toEqual([about(leaseMs)]);
        await advance(10_000);
        await enqueue();
        expect((await claim()).nextInMs).toEqual([about(leaseMs - 10_000)]);
        await renew(tasks[0]!, 3 * leaseMs);
        expect((await claim()).nextInMs).toEqual([about(leaseMs)]);
      }),
    );

    it(
      'at the earlier of a due time and the end of a lease',
      setup(async ({ start, enqueue, claim, about }) => {
        await start();
        await enqueue({ due: { inMs: 2 * leaseMs } });
        expect((await claim()).nextInMs).toEqual([about(leaseMs)]);
        await enqueue({ due: { inMs: 10_000 } });
        expect((await claim()).nextInMs).toEqual([about(10_000)]);
      }),
    );

    it.each(['retry', 'snoozed', 'conflict'] as const)('when a %s task returns', (type) =>
      setup(async ({ start, settle, claim, about }) => {
        await settle(await start(), { type, delayMs: 12_000, error: { name: 'Error', message: 'boom' } });
        expect((await claim()).nextInMs).toEqual([about(12_000)]);
      })(),
    );

    it(
      'only after a bell, where tasks are parked or finished',
      setup(async ({ bringTo, claim }) => {
        for (const state of ['parked', 'succeeded', 'dead', 'cancelled'] as const) await bringTo(state);
        expect((await claim()).nextInMs).toEqual([Infinity]);
      }),
    );

    it(
      'when a pause ends, though there is due work and work that is due sooner',
      setup(async ({ backend, queue, add, claim, advance, about }) => {
        await add({}, { due: { inMs: 10_000 } });
        await backend.catalog.pause(queue, 60_000);
        expect(await claim()).toEqual({ tasks: [], nextInMs: [about(60_000)] });
        await advance(20_000);
        expect(await claim()).toEqual({ tasks: [], nextInMs: [about(40_000)] });
        await backend.catalog.pause(queue);
        expect(await claim()).toEqual({ tasks: [], nextInMs: [Infinity] });
      }),
    );
  });
}
