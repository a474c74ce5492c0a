import { describe, expect, it } from '@jest/globals';
import { boom, leaseMs, type Setup, success } from './setup.js';

export function describeClaim(setup: Setup): void {
  describe('claim', () => {
    it(
      'gives a task with all that its runner needs, and stores who has it until when',
      setup(async ({ queue, enqueue, claim, get, now, about }) => {
        const given = {
          ...{ id: 'a', job: 'SendWelcome', params: '{"to":"x"}', extra: 'x', priority: 3, retries: 9 },
          ...{ keepMs: 5_000, scheduleId: 'daily', slot: 1_000 },
        };
        await enqueue(given);
        const { tasks } = await claim({ runner: 'runner-7' });
        const at = await now();
        const counted = { attempt: 1, failures: 0, enqueuedAt: about(at), dueAt: about(at) };
        expect(tasks).toMatchObject([{ ...given, ...counted, queue, epoch: expect.any(Number) }]);
        const leased = { state: 'pending', runner: 'runner-7', leaseEndsAt: about(at + leaseMs), attempt: 1 };
        expect(await get('a')).toMatchObject(leased);
      }),
    );

    it(
      'counts the attempt each time',
      setup(async ({ enqueue, claimOne, settle }) => {
        await enqueue({ retries: 9 });
        for (const attempt of [1, 2, 3]) {
          const claimed = await claimOne();
          expect(claimed).toMatchObject({ attempt, failures: attempt - 1 });
          await settle(claimed, { type: 'retry', error: boom, delayMs: 0 });
        }
      }),
    );

    it(
      "draws epochs that grow, never below the store's time in microseconds, also for a reused id",
      setup(async ({ start, settle, now, advance }) => {
        // Asked before the clock is moved: an epoch cannot be moved with it where the server's own clock stays.
        let last = (await now()) * 1_000 - 1;
        for (const waitMs of [0, 0, 1, 60_000, 0]) {
          await advance(waitMs);
          const claimed = await start({ id: 'a' });
          expect(claimed.epoch).toBeGreaterThan(last);
          last = claimed.epoch;
          await settle(claimed, success);
        }
      }),
    );

    it(
      'does not give a task twice',
      setup(async ({ add, claimIds }) => {
        await add({ id: 'a' }, { id: 'b' });
        expect(await claimIds()).toEqual(['a', 'b']);
        expect(await claimIds()).toEqual([]);
      }),
    );

    it(
      'gives no id twice to claimers in parallel, and leaves none behind',
      setup(async ({ add, claimIds }) => {
        await add(...Array.from({ length: 100 }, () => ({})));
        const claims = await Promise.all(Array.from({ length: 10 }, () => claimIds({ limit: 10 })));
        expect(claims.map(({ length }) => length)).toEqual(Array(10).fill(10));
        expect(new Set(claims.flat()).size).toBe(100);
      }),
    );

    it(
      'gives nothing from a queue that never held a task',
      setup(async ({ claim }) => {
        expect(await claim()).toEqual({ tasks: [], nextInMs: [Infinity] });
      }),
    );
  });

  describe('claim order', () => {
    it(
      'takes the three earliest of six',
      setup(async ({ add, claimIds }) => {
        await add(...[-4, -1, -6, -2, -3, -5].map((due) => ({ id: `${due}`, due: { inMs: due * 60_000 } })));
        expect(await claimIds({ limit: 3 })).toEqual(['-6', '-5', '-4']);
        expect(await claimIds({ limit: 9 })).toEqual(['-3', '-2', '-1']);
      }),
    );

    it(
      'is priority first, then due time, then arrival',
      setup(async ({ add, now, claimIds }) => {
        const at = (await now()) - 60_000;
        await add(
          { id: 'plain-2', due: { at: at + 1 } },
          { id: 'low', due: { at: at - 50_000 }, priority: 1_000 },
          { id: 'plain-3', due: { at: at + 1 } },
          { id: 'plain-1', due: { at } },
        );
        await add({ id: 'plain-4', due: { at: at + 1 } }, { id: 'high', due: { inMs: 0 }, priority: -1_000 });
        expect(await claimIds()).toEqual(['high', 'plain-1', 'plain-2', 'plain-3', 'plain-4', 'low']);
      }),
    );

    it(
      'is arrival for many tasks of one moment',
      setup(async ({ add, now, claimIds }) => {
        const at = await now();
        const ids = Array.from({ length: 120 }, (_, index) => `task-${index}`);
        await add(...ids.map((id) => ({ id, due: { at } })));
        expect(await claimIds()).toEqual(ids);
      }),
    );

    it(
      'lets a due time in the past go before tasks that came earlier',
      setup(async ({ add, claimIds }) => {
        await add({ id: 'came-first' });
        await add({ id: 'overdue', due: { inMs: -60_000 } });
        expect(await claimIds()).toEqual(['overdue', 'came-first']);
      }),
    );

    it(
      'keeps the due time of a scheduled task',
      setup(async ({ add, advance, claimIds }) => {
        await add({ id: 'in-10', due: { inMs: 10_000 } });
        await advance(5_000);
        await add({ id: 'at-5' });
        await advance(15_000);
        await add({ id: 'at-20' });
        expect(await claimIds()).toEqual(['at-5', 'in-10', 'at-20']);
      }),
    );
  });

  describe('claim of scheduled tasks', () => {
    it(
      'takes a task scheduled in 3 s at 3.000 s and not at 2.999 s',
      setup(async ({ enqueue, advanceToJustBefore, advance, claimIds, counts }) => {
        const id = await enqueue({ due: { inMs: 3_000 } });
        const missing = await advanceToJustBefore(3_000);
        expect(await claimIds()).toEqual([]);
        expect(await counts()).toEqual({ scheduled: 1 });
        await advance(missing);
        expect(await claimIds()).toEqual([id]);
      }),
    );

    it(
      'lets those wait that are due but not taken',
      setup(async ({ add, advance, claimIds, counts }) => {
        await add(...['a', 'b', 'c'].map((id, index) => ({ id, due: { inMs: (index + 1) * 20_000 } })));
        await advance(40_000);
        expect(await claimIds({ limit: 1 })).toEqual(['a']);
        expect(await counts()).toEqual({ pending: 1, waiting: 1, scheduled: 1 });
      }),
    );

    it(
      'promotes at most 1,000 of 2,500 due tasks, the oldest, and says that there is more',
      setup(async ({ add, advance, claim, counts, now }) => {
        const at = (await now()) + 60_000;
        await add(
          ...Array.from({ length: 2_500 }, (_, index) => ({
            id: `task-${index}`,
            due: { at: at + index },
            priority: -Math.floor(index / 1_000),
          })),
        );
        await advance(120_000);
        const first = await claim({ limit: 10 });
        // The younger ones come before these by priority, but are not promoted yet.
        expect(first.tasks.map(({ id }) => id)).toEqual(
          Array.from({ length: 10 }, (_, index) => `task-${index}`),
        );
        expect(first.nextInMs).toEqual([0]);
        expect(await counts()).toEqual({ pending: 10, waiting: 990, scheduled: 1_500 });

        const ids = new Set(first.tasks.map(({ id }) => id));
        for (let round = 0; round < 4 && ids.size < 2_500; round++) {
          const { tasks, nextInMs } = await claim();
          for (const { id } of tasks) ids.add(id);
          if (ids.size < 2_500) expect(nextInMs).toEqual([0]);
        }
        expect(ids.size).toBe(2_500);
      }),
      30_000,
    );
  });
}
