import { describe, expect, it } from '@jest/globals';
import { hour, minute, withSchedules } from './schedule-setup.js';
import { lockOf, type Setup, success } from './setup.js';

export function describeSchedulesAdvance(setup: Setup): void {
  describe('schedules advance', () => {
    it(
      "moves to the next slot and adds the slot's task in the same step",
      withSchedules(setup, async ({ put, read, step, advanceOne, dueIds, now, task, get, advance }) => {
        const slot = await now();
        await put('a', slot);
        const work = task({ id: 'a@1', scheduleId: 'a', slot });
        const advanced = await advanceOne(step('a', slot, { task: work }));
        expect(advanced).toEqual({ status: 'advanced', added: { status: 'enqueued' } });
        expect(await get('a@1')).toMatchObject({ state: 'waiting', scheduleId: 'a', slot });
        expect(await dueIds()).toEqual([]);
        await advance(minute);
        expect(await dueIds()).toEqual(['a']);
        const place = { firstSlot: slot, nextSlot: slot + minute, lastSlot: slot, lastTask: 'a@1' };
        expect(await read('a')).toMatchObject({ ...place, fired: 1, skipped: 0 });
      }),
    );

    it(
      'adds the task with all that was said of it',
      withSchedules(setup, async ({ put, step, advanceOne, now, task, get, claimIds }) => {
        const slot = await now();
        await put('a', slot);
        const said = { params: '{"a":1}', extra: '{"b":2}', priority: -3, retries: 0, keepMs: 5, slot };
        const lock = lockOf('until_executed');
        const work = task({ id: 'a@1', scheduleId: 'a', ...said, lock, due: { at: slot + hour } });
        await advanceOne(step('a', slot, { task: work }));
        const expected = { ...said, state: 'scheduled', scheduleId: 'a', lock, dueAt: slot + hour };
        expect(await get('a@1')).toMatchObject(expected);
        expect(await claimIds()).toEqual([]);
      }),
    );

    it(
      'is lost where another was first: eight at once make one task for each of 30 schedules',
      withSchedules(setup, async ({ advanceAll, put, step, read, now, counts }) => {
        const slot = await now();
        const ids = Array.from({ length: 30 }, (_, index) => `s${index}`);
        await Promise.all(ids.map((id) => put(id, slot)));
        const all = await Promise.all(
          Array.from({ length: 8 }, () => advanceAll(ids.map((id) => step(id, slot)))),
        );
        for (const [index, id] of ids.entries()) {
          const answers = all.map((advanced) => advanced[index]!.status).sort();
          expect(answers).toEqual(['advanced', ...Array(7).fill('lost')]);
          expect(await read(id)).toMatchObject({ nextSlot: slot + minute, fired: 1 });
        }
        expect(await counts()).toEqual({ waiting: 30 });
      }),
    );

    it(
      'is lost where it is repeated, and adds nothing then, also when the task has run and gone',
      withSchedules(setup, async ({ put, step, advanceOne, read, now, claimOne, settle, counts }) => {
        const slot = await now();
        await put('a', slot);
        const first = step('a', slot);
        expect(await advanceOne(first)).toMatchObject({ status: 'advanced' });
        await settle(await claimOne(), success);
        expect(await advanceOne(first)).toEqual({ status: 'lost' });
        expect(await counts()).toEqual({});
        expect(await read('a')).toMatchObject({ nextSlot: slot + minute, fired: 1 });
      }),
    );

    it(
      'is lost for a schedule that is unknown, gone, paused or elsewhere, and changes nothing',
      withSchedules(setup, async ({ schedules, advanceAll, put, step, ref, read, now, counts }) => {
        const slot = await now();
        for (const id of ['gone', 'paused', 'elsewhere']) await put(id, slot);
        await schedules.remove(ref('gone'));
        await schedules.pause(ref('paused'));
        const before = [await read('paused'), await read('elsewhere')];
        const steps = [
          ...['unknown', 'gone', 'paused'].map((id) => step(id, slot)),
          step('elsewhere', slot + 1),
        ];
        expect(await advanceAll(steps)).toEqual(steps.map(() => ({ status: 'lost' })));
        expect([await read('paused'), await read('elsewhere')]).toEqual(before);
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'takes several steps of one schedule in order, among those of others, and answers in the order asked',
      withSchedules(setup, async ({ advanceAll, put, step, task, read, now, list, queueNamed, claimIds }) => {
        const slot = await now();
        const other = queueNamed('other');
        await put('a', slot);
        await put('b', slot, { queue: other });
        const taskOf = (id: string, queue?: string) => task({ id, ...(queue ? { queue } : {}) });
        const answers = await advanceAll([
          step('a', slot, { task: taskOf('a1') }),
          step('b', slot, { queue: other, task: taskOf('b1', other) }),
          step('a', slot + minute, { task: taskOf('a2') }),
          step('a', slot, { task: taskOf('a-late') }),
          step('b', slot + minute, { queue: other, task: undefined, skipped: 1 }),
          step('a', slot + 2 * minute, { task: taskOf('a3') }),
        ]);
        const enqueued = { status: 'advanced', added: { status: 'enqueued' } };
        const expected = [enqueued, enqueued, enqueued, { status: 'lost' }, { status: 'advanced' }, enqueued];
        expect(answers).toEqual(expected);
        expect(await list('waiting')).toEqual(['a1', 'a2', 'a3']);
        expect(await claimIds({ queues: [{ queue: other, limit: 9 }] })).toEqual(['b1']);
        expect(await read('a')).toMatchObject({ nextSlot: slot + 3 * minute, fired: 3, lastTask: 'a3' });
        expect(await read('b', other)).toMatchObject({ nextSlot: slot + 2 * minute, fired: 1, skipped: 1 });
      }),
    );

    it(
      'takes any number of steps',
      withSchedules(setup, async ({ advanceAll, put, step, read, now, counts }) => {
        const slot = await now();
        const ids = Array.from({ length: 7 }, (_, index) => `s${index}`);
        await Promise.all(ids.map((id) => put(id, slot)));
        // Each schedule's steps stand far apart from one another.
        const steps = Array.from({ length: 50 }, (_, turn) =>
          ids.map((id) => step(id, slot + turn * minute)),
        );
        const answers = await advanceAll(steps.flat());
        expect(answers.filter(({ status }) => status === 'advanced')).toHaveLength(350);
        for (const id of ids)
          expect(await read(id)).toMatchObject({ nextSlot: slot + 50 * minute, fired: 50 });
        expect(await counts()).toEqual({ waiting: 350 });
        expect(await advanceAll([])).toEqual([]);
      }),
    );

    it(
      'without a next slot ends the schedule, with its last task stored',
      withSchedules(
        setup,
        async ({ schedules, put, step, advanceOne, read, due, queue, now, counts, advance }) => {
          const slot = await now();
          await put('a', slot);
          const last = step('a', slot, { nextSlot: undefined });
          expect(await advanceOne(last)).toEqual({ status: 'advanced', added: { status: 'enqueued' } });
          expect(await advanceOne(last)).toEqual({ status: 'lost' });
          expect(await read('a')).toBeUndefined();
          expect((await schedules.list(queue, { limit: 9 })).schedules).toEqual([]);
          await advance(24 * hour);
          expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
          expect(await counts()).toEqual({ waiting: 1 });
          expect(await put('a', 'now')).toBe('stored');
          expect(await read('a')).toMatchObject({ fired: 0, skipped: 0 });
        },
      ),
    );

    it(
      'without a task passes slots over, and counts those that it is told of',
      withSchedules(setup, async ({ put, step, advanceOne, read, due, now, counts, about }) => {
        const slot = await now();
        await put('a', slot);
        const passes = slot + 4 * minute;
        const passing = { task: undefined, passes, nextSlot: slot + 5 * minute, skipped: 5 };
        expect(await advanceOne(step('a', slot, passing))).toEqual({ status: 'advanced' });
        expect(await counts()).toEqual({});
        expect((await due()).nextInMs).toEqual(about(5 * minute));
        const record = await read('a');
        expect(record).toMatchObject({ lastSlot: passes, fired: 0, skipped: 5 });
        expect(record!.lastTask).toBeUndefined();
      }),
    );

    it(
      'takes the slot that it is told to pass for the last one, but never an earlier one than it knows',
      withSchedules(setup, async ({ put, step, advanceOne, read, now, task }) => {
        const slot = (await now()) - hour;
        await put('a', slot);
        const work = task({ scheduleId: 'a', slot: slot + 30 * minute });
        const passes = slot + 59 * minute;
        await advanceOne(step('a', slot, { task: work, passes, nextSlot: slot + hour, skipped: 59 }));
        const place = { firstSlot: slot, nextSlot: slot + hour, lastSlot: passes };
        expect(await read('a')).toMatchObject({ ...place, fired: 1, skipped: 59 });
        await advanceOne(step('a', slot + hour, { passes: passes - 1 }));
        expect(await read('a')).toMatchObject({ nextSlot: slot + hour + minute, lastSlot: passes });
      }),
    );

    it.each(['reject', 'raise'] as const)(
      'moves on though the task is not stored, as its id or its lock (%s) is taken; the slot counts as skipped',
      (onConflict) =>
        withSchedules(setup, async ({ put, step, advanceOne, read, now, task, enqueue, counts }) => {
          const slot = await now();
          const lock = lockOf('until_completed', { onConflict });
          await enqueue({ id: 'holder', lock });
          await put('a', slot);
          const sameId = await advanceOne(step('a', slot, { task: task({ id: 'holder' }) }));
          expect(sameId).toEqual({ status: 'advanced', added: { status: 'existing' } });
          const locked = await advanceOne(step('a', slot + minute, { task: task({ lock }), skipped: 3 }));
          const status = onConflict === 'raise' ? 'raised' : 'rejected';
          expect(locked).toEqual({ status: 'advanced', added: { status, holder: 'holder' } });
          expect(await counts()).toEqual({ waiting: 1 });
          const record = await read('a');
          expect(record).toMatchObject({ nextSlot: slot + 2 * minute, fired: 0, skipped: 5 });
          expect(record!.lastTask).toBeUndefined();
        })(),
    );

    it(
      'remembers the task that its own was put in place of',
      withSchedules(setup, async ({ put, step, advanceOne, read, now, task, enqueue, get }) => {
        const slot = await now();
        const lock = lockOf('until_completed', { onConflict: 'replace' });
        await enqueue({ id: 'holder', lock });
        await put('a', slot);
        const replaced = await advanceOne(step('a', slot, { task: task({ lock, params: '"new"' }) }));
        expect(replaced).toEqual({ status: 'advanced', added: { status: 'replaced', holder: 'holder' } });
        expect(await get('holder')).toMatchObject({ params: '"new"' });
        expect(await read('a')).toMatchObject({ fired: 1, skipped: 0, lastTask: 'holder' });
        await advanceOne(step('a', slot + minute, { task: task({ id: 'holder', replace: true }) }));
        expect(await read('a')).toMatchObject({ fired: 2, lastTask: 'holder' });
      }),
    );
  });
}
