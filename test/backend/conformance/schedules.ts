import { describe, expect, it } from '@jest/globals';
import type { NewSchedule } from '../../../lib/backend/backend.js';
import { lockOf, type Setup } from './setup.js';

const daily = (queue: string, nextSlot: NewSchedule['nextSlot'], id = 'daily'): NewSchedule => ({
  ...{ queue, id, nextSlot, job: 'Report', rule: '{"cron":"0 8 * * *"}' },
});

export function describeSchedules(setup: Setup): void {
  describe('schedules put', () => {
    it(
      'stores a rule that is due at its first slot, and not before',
      setup(async ({ backend: { schedules }, queue, now, advanceToJustBefore, advance, about }) => {
        const slot = (await now()) + 60_000;
        expect(await schedules.put(daily(queue, slot))).toBe('stored');
        const missing = await advanceToJustBefore(60_000);
        expect(await schedules.due([queue])).toMatchObject({ schedules: [], nextInMs: about(missing) });
        await advance(missing);
        const { schedules: due, nextInMs } = await schedules.due([queue]);
        expect(due).toEqual([
          { queue, id: 'daily', job: 'Report', rule: '{"cron":"0 8 * * *"}', nextSlot: slot },
        ]);
        expect(nextInMs).toBe(Infinity);
      }),
    );

    it(
      "takes the store's time for a first slot that is now",
      setup(async ({ backend: { schedules }, queue, advance, now, about }) => {
        await advance(12_345);
        await schedules.put(daily(queue, 'now'));
        expect((await schedules.due([queue])).schedules).toMatchObject([{ nextSlot: about(await now()) }]);
      }),
    );

    it(
      'leaves an existing schedule as it is unless it is to be replaced',
      setup(async ({ backend: { schedules }, queue, now }) => {
        const slot = (await now()) - 60_000;
        await schedules.put(daily(queue, slot));
        const changed = { ...daily(queue, slot + 1), job: 'Other', rule: 'new' };
        expect(await schedules.put(changed)).toBe('existing');
        expect((await schedules.due([queue])).schedules).toMatchObject([{ job: 'Report', nextSlot: slot }]);
        expect(await schedules.put(changed, true)).toBe('replaced');
        const replaced = [{ job: 'Other', rule: 'new', nextSlot: slot + 1 }];
        expect((await schedules.due([queue])).schedules).toMatchObject(replaced);
        expect(await schedules.advance({ queue, id: 'daily' }, slot, slot + 2)).toEqual({ status: 'lost' });
      }),
    );

    it(
      'keeps schedules of one id in two queues apart',
      setup(async ({ backend: { schedules }, queueNamed }) => {
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        expect(await schedules.put(daily(x, 'now'))).toBe('stored');
        expect(await schedules.put(daily(y, 'now'))).toBe('stored');
        expect(await schedules.remove({ queue: x, id: 'daily' })).toBe(true);
        expect((await schedules.due([x, y])).schedules).toMatchObject([{ queue: y }]);
      }),
    );
  });

  describe('schedules due', () => {
    it(
      'gives the due ones of the asked queues in the order of their slots, and the time to the next',
      setup(async ({ backend: { schedules }, queueNamed, now, about }) => {
        const at = await now();
        const [x, y, z] = [queueNamed('x'), queueNamed('y'), queueNamed('z')];
        await schedules.put(daily(x, at - 20_000, 'second'));
        await schedules.put(daily(y, at - 30_000, 'first'));
        await schedules.put(daily(x, at - 10_000, 'third'));
        await schedules.put(daily(x, at + 90_000, 'later'));
        await schedules.put(daily(y, at + 60_000, 'next'));
        await schedules.put(daily(z, at - 40_000, 'not-asked'));
        const due = await schedules.due([x, y]);
        expect(due.schedules.map(({ id }) => id)).toEqual(['first', 'second', 'third']);
        expect(due.nextInMs).toEqual(about(60_000));
        expect(due.now).toEqual(about(at));
      }),
    );

    it(
      'changes nothing: what is due stays due until it is advanced',
      setup(async ({ backend: { schedules }, queue }) => {
        await schedules.put(daily(queue, 'now'));
        const first = await schedules.due([queue]);
        expect(first.schedules).toHaveLength(1);
        expect((await schedules.due([queue])).schedules).toEqual(first.schedules);
      }),
    );

    it(
      'gives at most 1,000 at once, over all queues, and says that there are more',
      setup(async ({ backend: { schedules }, queueNamed, now }) => {
        const at = (await now()) - 60_000;
        const names = [queueNamed('x'), queueNamed('y')];
        for (const queue of names)
          await Promise.all(
            Array.from({ length: 600 }, (_, index) => schedules.put(daily(queue, at, `s${index}`))),
          );
        const due = await schedules.due(names);
        expect(due.schedules).toHaveLength(1_000);
        expect(due.nextInMs).toBe(0);
      }),
      30_000,
    );

    it(
      'gives nothing of queues without schedules',
      setup(async ({ backend: { schedules }, queue }) => {
        expect(await schedules.due([queue])).toMatchObject({ schedules: [], nextInMs: Infinity });
        expect(await schedules.due([])).toMatchObject({ schedules: [], nextInMs: Infinity });
      }),
    );
  });

  describe('schedules advance', () => {
    it(
      "moves to the next slot and adds the slot's task in the same step",
      setup(async ({ backend: { schedules }, queue, now, task, get, advance }) => {
        const slot = await now();
        await schedules.put(daily(queue, slot));
        const work = task({ id: 'daily@1', scheduleId: 'daily', slot });
        expect(await schedules.advance({ queue, id: 'daily' }, slot, slot + 60_000, work)).toEqual({
          status: 'advanced',
          added: { status: 'enqueued' },
        });
        expect(await get('daily@1')).toMatchObject({ state: 'waiting', scheduleId: 'daily', slot });
        expect((await schedules.due([queue])).schedules).toEqual([]);
        await advance(60_000);
        const moved = { nextSlot: slot + 60_000, lastSlot: slot };
        expect((await schedules.due([queue])).schedules).toMatchObject([moved]);
      }),
    );

    it(
      'is lost where another was first: eight at once make one task',
      setup(async ({ backend: { schedules }, queue, now, task, counts }) => {
        const slot = await now();
        await schedules.put(daily(queue, slot));
        const advance = () => schedules.advance({ queue, id: 'daily' }, slot, slot + 60_000, task());
        const advanced = await Promise.all(Array.from({ length: 8 }, advance));
        expect(advanced.filter(({ status }) => status === 'advanced')).toHaveLength(1);
        expect(advanced.filter(({ status }) => status === 'lost')).toHaveLength(7);
        expect(await counts()).toEqual({ waiting: 1 });
      }),
    );

    it(
      'is lost for an unknown or removed schedule, and adds nothing',
      setup(async ({ backend: { schedules }, queue, now, task, counts }) => {
        const slot = await now();
        const ref = { queue, id: 'daily' };
        expect(await schedules.advance(ref, slot, slot + 60_000, task())).toEqual({ status: 'lost' });
        await schedules.put(daily(queue, slot));
        expect(await schedules.remove(ref)).toBe(true);
        expect(await schedules.remove(ref)).toBe(false);
        expect(await schedules.advance(ref, slot, slot + 60_000, task())).toEqual({ status: 'lost' });
        expect((await schedules.due([queue])).schedules).toEqual([]);
        expect(await counts()).toEqual({});
      }),
    );

    it(
      'without a next slot ends the schedule, with its last task stored',
      setup(async ({ backend: { schedules }, queue, now, task, counts, advance }) => {
        const slot = await now();
        await schedules.put(daily(queue, slot));
        const ref = { queue, id: 'daily' };
        expect(await schedules.advance(ref, slot, undefined, task())).toMatchObject({ status: 'advanced' });
        expect(await schedules.advance(ref, slot, undefined, task())).toEqual({ status: 'lost' });
        await advance(86_400_000);
        expect(await schedules.due([queue])).toMatchObject({ schedules: [], nextInMs: Infinity });
        expect(await counts()).toEqual({ waiting: 1 });
        expect(await schedules.put(daily(queue, 'now'))).toBe('stored');
      }),
    );

    it(
      'without a task skips the slot',
      setup(async ({ backend: { schedules }, queue, now, counts, about }) => {
        const slot = await now();
        await schedules.put(daily(queue, slot));
        const advanced = await schedules.advance({ queue, id: 'daily' }, slot, slot + 60_000);
        expect(advanced).toEqual({ status: 'advanced' });
        expect(await counts()).toEqual({});
        expect((await schedules.due([queue])).nextInMs).toEqual(about(60_000));
      }),
    );

    it(
      'moves on though the task is not stored: its id or its lock is taken',
      setup(async ({ backend: { schedules }, queue, now, task, enqueue, counts }) => {
        const slot = await now();
        const lock = lockOf('until_completed');
        await enqueue({ id: 'holder', lock });
        await schedules.put(daily(queue, slot));
        const advance = (from: number, work: ReturnType<typeof task>) =>
          schedules.advance({ queue, id: 'daily' }, from, from + 60_000, work);
        const existing = { status: 'advanced', added: { status: 'existing' } };
        expect(await advance(slot, task({ id: 'holder' }))).toEqual(existing);
        const rejected = { status: 'advanced', added: { status: 'rejected', holder: 'holder' } };
        expect(await advance(slot + 60_000, task({ lock }))).toEqual(rejected);
        expect(await counts()).toEqual({ waiting: 1 });
      }),
    );
  });
}
