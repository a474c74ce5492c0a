import { describe, expect, it } from '@jest/globals';
import { leaseMs, leaseOf, lockOf, settings, type Setup, success } from './setup.js';

export function describeLeasesAndRecovery(setup: Setup): void {
  describe('a claim whose answer was lost', () => {
    it(
      'gives back, without costing an attempt, what the runner does not know to hold',
      setup(async ({ enqueue, claim, claimIds, get, counts }) => {
        await enqueue({ id: 'known' });
        const { tasks } = await claim({ runner: 'runner-1', limit: 1 });
        await enqueue({ id: 'unheard' });
        await enqueue({ id: 'of another' });
        expect(await claimIds({ runner: 'runner-1', limit: 1 })).toEqual(['unheard']);
        expect(await claimIds({ runner: 'runner-2', limit: 1 })).toEqual(['of another']);

        const again = await claim({ runner: 'runner-1', holding: tasks });
        expect(again.tasks).toMatchObject([{ id: 'unheard', attempt: 1, failures: 0 }]);
        expect(await get('known')).toMatchObject({ state: 'pending', runner: 'runner-1', attempt: 1 });
        expect(await get('of another')).toMatchObject({ state: 'pending', runner: 'runner-2', attempt: 1 });
        expect((await counts()).pending).toBe(3);
      }),
    );

    it(
      'is made good among many tasks of others, also of runners whose names end alike',
      setup(async ({ backend, task, claim, claimIds }) => {
        const ids = Array.from({ length: 1_300 }, (_, index) => `task ${index}`);
        await backend.tasks.add([ids.map((id) => task({ id }))]);
        const unheard: string[] = [];
        for (let turn = 0; turn < 13; turn++) {
          const runner = turn % 4 === 2 ? 'one' : turn % 2 ? 'other|one' : 'another one';
          const taken = await claimIds({ limit: 100, runner });
          if (runner === 'one') unheard.push(...taken);
        }
        const { tasks } = await claim({ runner: 'one', holding: [] });
        expect(tasks.map(({ id, attempt }) => ({ id, attempt }))).toEqual(
          unheard.map((id) => ({ id, attempt: 1 })),
        );
        expect(unheard).toHaveLength(300);
      }),
    );

    it(
      'ends a task as cancelled that was asked to stop meanwhile',
      setup(async ({ start, backend, queue, claim, get }) => {
        await start({ id: 'a' });
        const { runner } = (await get('a'))!;
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        expect((await claim({ runner: runner!, holding: [] })).tasks).toEqual([]);
        expect(await get('a')).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
      }),
    );
  });

  describe('a lease that ended', () => {
    it(
      'gives the task to the next claim, and not a millisecond sooner',
      setup(async ({ start, advanceToJustBefore, advance, claim, get, now, about }) => {
        const first = await start({ id: 'a' });
        const missing = await advanceToJustBefore(leaseMs);
        expect((await claim()).tasks).toEqual([]);
        await advance(missing);
        const { tasks } = await claim({ runner: 'runner-2' });
        expect(tasks).toMatchObject([{ id: 'a', attempt: 2, failures: 1, dueAt: first.dueAt }]);
        expect(tasks[0]!.epoch).toBeGreaterThan(first.epoch);
        const error = {
          name: 'LeaseLostError',
          message: expect.any(String),
          attempt: 1,
          at: about(await now()),
        };
        expect(await get('a')).toMatchObject({ state: 'pending', runner: 'runner-2', errors: [error] });
      }),
    );

    it(
      'returns a task that is not claimed at once to waiting, its due time kept',
      setup(async ({ start, enqueue, advance, claimIds, get }) => {
        const { dueAt } = await start({ id: 'a' });
        await advance(leaseMs);
        await enqueue({ id: 'urgent', priority: -1 });
        expect(await claimIds({ limit: 1 })).toEqual(['urgent']);
        const recovered = await get('a');
        expect(recovered).toMatchObject({ state: 'waiting', attempt: 1, failures: 1, dueAt });
        expect(recovered?.runner).toBeUndefined();
        expect(recovered?.leaseEndsAt).toBeUndefined();
        await enqueue({ id: 'later' });
        expect(await claimIds()).toEqual(['a', 'later']);
      }),
    );

    it(
      'of the last attempt lets the task die, kept as long as dead tasks are',
      setup(async ({ start, advance, claim, get, counts, now, about }) => {
        await start({ id: 'a', retries: 0 });
        await advance(leaseMs);
        expect(await claim()).toMatchObject({ tasks: [], nextInMs: [Infinity] });
        const dead = { state: 'dead', attempt: 1, failures: 1, finishedAt: about(await now()) };
        expect(await get('a')).toMatchObject({ ...dead, errors: [{ name: 'LeaseLostError', attempt: 1 }] });
        await advance(settings.deadKeepMs - 60_000);
        await claim();
        expect(await counts()).toEqual({ dead: 1 });
        await advance(60_000);
        expect(await get('a')).toBeUndefined();
      }),
    );

    it(
      'counts, so that a task that kills its process each time dies after its retries',
      setup(async ({ enqueue, advance, claim, get }) => {
        await enqueue({ id: 'a', retries: 4 });
        const attempts: number[] = [];
        for (let round = 0; round < 10; round++) {
          attempts.push(...(await claim()).tasks.map(({ attempt }) => attempt));
          await advance(leaseMs);
        }
        expect(attempts).toEqual([1, 2, 3, 4, 5]);
        expect(await get('a')).toMatchObject({ state: 'dead', attempt: 5, failures: 5 });
      }),
    );

    it(
      'lets a task that was asked to stop end as cancelled, also at its last attempt',
      setup(async ({ backend, queue, add, claim, advance, get }) => {
        await add({ id: 'a', retries: 3 }, { id: 'b', retries: 0 });
        await claim();
        await backend.catalog.cancel(['a', 'b'].map((id) => ({ queue, id })));
        await advance(leaseMs);
        expect((await claim()).tasks).toEqual([]);
        expect(await get('a')).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
        expect(await get('b')).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
        await advance(settings.cancelledKeepMs);
        expect(await get('a')).toBeUndefined();
      }),
    );

    it(
      'is told of by the claim that finds it, once, with what became of the task',
      setup(async ({ backend, queue, queueNamed, add, claim, advance, now, about }) => {
        const other = queueNamed('other');
        const slot = await now();
        await add(
          { id: 'runs again', params: '"not told"' },
          { id: 'dies', job: 'Last', retries: 0, scheduleId: 'every|%1F day', slot },
          { id: 'is to stop' },
          { id: 'elsewhere', queue: other },
        );
        const queues = [queue, other].map((name) => ({ queue: name, limit: 9 }));
        const { tasks, ...rest } = await claim({ queues, runner: 'a|killed one' });
        expect(rest).not.toHaveProperty('recovered');
        await backend.catalog.cancel([{ queue, id: 'is to stop' }]);
        await advance(leaseMs);
        const { recovered, tasks: again } = await claim({ queues, limit: 1, runner: 'runner-2' });
        const error = {
          name: 'LeaseLostError',
          message: 'runner a|killed one did not settle before its lease ended',
        };
        const at = about(await now());
        const expected = { 'runs again': 'lost', dies: 'dead', 'is to stop': 'cancelled', elsewhere: 'lost' };
        expect(recovered?.toSorted((one, two) => one.id.localeCompare(two.id))).toEqual(
          tasks
            .toSorted((one, two) => one.id.localeCompare(two.id))
            .map(({ id, job, attempt, epoch, dueAt, queue: of }) => ({
              ...{ queue: of, id, job, attempt, epoch, dueAt: about(dueAt), at },
              ...{ runner: 'a|killed one', outcome: expected[id as 'dies'] },
              ...(id === 'is to stop' ? {} : { error }),
              ...(id === 'dies' ? { scheduleId: 'every|%1F day', slot } : {}),
            })),
        );
        expect(again).toHaveLength(1);
        expect(await claim({ queues })).not.toHaveProperty('recovered');
      }),
    );

    it(
      'is not told of where a lock had kept its run from beginning',
      setup(async ({ start, advance, claim, claimOne, enqueue, renew }) => {
        const lock = lockOf('while_executing');
        const holder = await start({ id: 'holder', lock });
        await enqueue({ id: 'met it', lock });
        expect(await claimOne()).toMatchObject({ id: 'met it', conflictsWith: 'holder' });
        await advance(leaseMs - 1_000);
        await renew(holder);
        await advance(1_000);
        const found = await claim();
        expect(found.tasks).toMatchObject([{ id: 'met it', attempt: 1 }]);
        expect(found).not.toHaveProperty('recovered');
      }),
    );

    it(
      'that nobody recovered yet can still be renewed',
      setup(async ({ start, advance, renew, claimIds }) => {
        const lease = await start();
        await advance(3 * leaseMs);
        expect(await renew(lease)).toEqual({ lost: [], cancelled: [] });
        expect(await claimIds()).toEqual([]);
      }),
    );

    it(
      'that nobody recovered yet can still be settled',
      setup(async ({ start, advance, settle, counts }) => {
        const lease = await start();
        await advance(3 * leaseMs);
        expect(await settle(lease, success)).toBe('settled');
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'is recovered for all of 1,500 tasks within a few claims',
      setup(async ({ add, claim, advance }) => {
        await add(...Array.from({ length: 1_500 }, () => ({})));
        await claim({ limit: 750 });
        await claim({ limit: 750 });
        await advance(leaseMs);
        const ids = new Set<string>();
        for (let round = 0; round < 4; round++) for (const { id } of (await claim()).tasks) ids.add(id);
        expect(ids.size).toBe(1_500);
      }),
      30_000,
    );
  });

  describe('renew', () => {
    it(
      "prolongs a lease from the store's now",
      setup(async ({ start, advance, renew, claimIds, get, now, about }) => {
        const lease = await start({ id: 'a' });
        await advance(20_000);
        expect(await renew(lease, 40_000)).toEqual({ lost: [], cancelled: [] });
        expect(await get('a')).toMatchObject({ leaseEndsAt: about((await now()) + 40_000), attempt: 1 });
        await advance(35_000);
        expect(await claimIds()).toEqual([]);
        await advance(5_000);
        expect(await claimIds()).toEqual(['a']);
      }),
    );

    it(
      'tells which leases are lost: unknown tasks, other epochs, tasks that are not pending',
      setup(async ({ backend, queue, start, settle, advance, claimOne, get }) => {
        const settled = await start({ id: 'settled' });
        await settle(settled, { type: 'snoozed', delayMs: 600_000 });
        const old = await start({ id: 'old' });
        await advance(leaseMs);
        await claimOne();
        const before = await get('old');
        const held = await start({ id: 'held' });

        const unknown = { queue, id: 'unknown', epoch: held.epoch };
        const leases = [settled, unknown, held, old].map(leaseOf);
        const lost = [settled, unknown, old].map(leaseOf);
        expect(await backend.tasks.renew(leases, 5 * leaseMs)).toEqual({ lost, cancelled: [] });
        expect(await get('old')).toEqual(before);
      }),
    );

    it(
      'tells which tasks are asked to stop, and prolongs their leases all the same',
      setup(async ({ backend, queue, start, advance, renew, claimIds }) => {
        const lease = await start({ id: 'a' });
        await backend.catalog.cancel([{ queue, id: 'a' }]);
        await advance(20_000);
        expect(await renew(lease)).toEqual({ lost: [], cancelled: [leaseOf(lease)] });
        await advance(20_000);
        expect(await claimIds()).toEqual([]);
        expect(await renew(lease)).toEqual({ lost: [], cancelled: [leaseOf(lease)] });
      }),
    );
  });
}
