import { describe, expect, it } from '@jest/globals';
import { hour, minute, withSchedules } from './schedule-setup.js';
import type { Setup } from './setup.js';

export function describeSchedulesDue(setup: Setup): void {
  describe('schedules due', () => {
    it(
      'gives the due ones of the asked queues in the order of their slots, and the time to the next',
      withSchedules(setup, async ({ put, due, queueNamed, now, about }) => {
        const at = await now();
        const [x, y, z] = [queueNamed('x'), queueNamed('y'), queueNamed('z')];
        await put('second', at - 20_000, { queue: x });
        await put('first', at - 30_000, { queue: y });
        await put('third', at - 10_000, { queue: x });
        await put('later', at + 90_000, { queue: x });
        await put('next', at + 60_000, { queue: y });
        await put('not-asked', at - 40_000, { queue: z });
        const answer = await due([x, y, x]);
        expect(answer.schedules.map(({ id }) => id)).toEqual(['first', 'second', 'third']);
        for (const one of answer.schedules) expect(one.now).toEqual(about(at));
        expect(answer.nextInMs).toEqual(about(60_000));
      }),
    );

    it(
      'changes nothing: what is due stays due until it is advanced',
      withSchedules(setup, async ({ schedules, ref, put, due, about }) => {
        await put('a', 'now');
        const first = await due();
        expect(first.schedules).toHaveLength(1);
        const { now, ...record } = first.schedules[0]!;
        expect(await schedules.get(ref('a'))).toEqual(record);
        expect((await due()).schedules).toEqual([{ ...record, now: about(now) }]);
      }),
    );

    it(
      'gives at most 1,000 at once over all queues, those that have waited longest, and says that there are more',
      withSchedules(setup, async ({ put, due, schedules, queueNamed, now }) => {
        const at = (await now()) - hour;
        const names = [queueNamed('x'), queueNamed('y')];
        const puts = names.flatMap((queue, turn) =>
          Array.from({ length: 600 }, (_, index) => put(`s${index}`, at + 2 * index + turn, { queue })),
        );
        await Promise.all(puts);
        const first = await due(names);
        expect(first.schedules.map(({ nextSlot }) => nextSlot - at)).toEqual([...Array(1_000).keys()]);
        expect(first.nextInMs).toBe(0);
        // Few at a time: a thousand calls at once would wait for one another past their time on a slow disk.
        for (let from = 0; from < 1_000; from += 20)
          await Promise.all(first.schedules.slice(from, from + 20).map((one) => schedules.remove(one)));
        expect((await due(names)).schedules).toHaveLength(200);
      }),
    );

    it(
      'says that there are more where one queue alone has them',
      withSchedules(setup, async ({ put, due, now }) => {
        const at = (await now()) - hour;
        await Promise.all(Array.from({ length: 1_001 }, (_, index) => put(`s${index}`, at + index)));
        expect(await due()).toMatchObject({ nextInMs: 0, schedules: { length: 1_000 } });
      }),
    );

    it(
      'leaves out as many of the first ones of a queue as it is told to',
      withSchedules(setup, async ({ put, schedules, ref, queueNamed, now, about }) => {
        const at = await now();
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        for (const [index, id] of ['a', 'b', 'c'].entries()) {
          await put(id, at - minute + 2 * index, { queue: x });
          await put(id.toUpperCase(), at - minute + 2 * index + 1, { queue: y });
        }
        await put('later', at + hour, { queue: x });
        await put('paused', at - hour, { queue: x });
        await schedules.pause({ ...ref('paused'), queue: x });
        const seen = async (skipX: number, skipY: number) => {
          const due = await schedules.due([
            { queue: x, skip: skipX },
            { queue: y, skip: skipY },
          ]);
          expect(due.nextInMs).toEqual(about(hour));
          return due.schedules.map(({ id }) => id).join('');
        };
        expect(await seen(0, 0)).toBe('aAbBcC');
        expect(await seen(1, 0)).toBe('AbBcC');
        expect(await seen(0, 2)).toBe('abcC');
        expect(await seen(3, 2)).toBe('C');
        expect(await seen(3, 3)).toBe('');
        expect(await seen(4, 100)).toBe('');
      }),
    );

    it(
      'gives all of them page by page to who leaves out what he has seen of each queue',
      withSchedules(setup, async ({ put, schedules, queueNamed, now, advance }) => {
        const at = (await now()) - hour;
        const names = [queueNamed('x'), queueNamed('y'), queueNamed('z')];
        // Many share a moment, and some were deferred: their slots are earlier than their turn.
        const puts = names.flatMap((queue) =>
          Array.from({ length: 700 }, (_, index) => put(`s${index}`, at + (index % 5), { queue })),
        );
        await Promise.all(puts);
        const some = names.flatMap((queue) =>
          Array.from({ length: 50 }, (_, index) => ({ queue, id: `s${index * 5}`, nextSlot: at })),
        );
        await schedules.defer(some, minute);
        await advance(hour);
        const seen: string[] = [];
        const pages: number[] = [];
        for (let nextInMs = 0; nextInMs === 0;) {
          const asked = names.map((queue) => ({
            queue,
            skip: seen.filter((s) => s.startsWith(queue)).length,
          }));
          const page = await schedules.due(asked);
          seen.push(...page.schedules.map(({ queue, id }) => `${queue} ${id}`));
          pages.push(page.schedules.length);
          nextInMs = page.nextInMs;
        }
        expect(pages).toEqual([1_000, 1_000, 100]);
        expect(new Set(seen).size).toBe(2_100);
      }),
    );

    it(
      'gives nothing of queues without schedules',
      withSchedules(setup, async ({ due }) => {
        expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
        expect(await due([])).toMatchObject({ schedules: [], nextInMs: Infinity });
      }),
    );

    it(
      'finds the few due ones among 10,000, which are listed page by page in the order of their slots',
      withSchedules(setup, async ({ schedules, queue, put, due, dueIds, advanceOne, step, now }) => {
        const at = await now();
        const idOf = (index: number) => `s${String(index).padStart(5, '0')}`;
        // One slot per hour, stored in an order of its own.
        const order = Array.from({ length: 10_000 }, (_, index) => (index * 7_919) % 10_000);
        for (let from = 0; from < order.length; from += 1_000)
          await Promise.all(
            order.slice(from, from + 1_000).map((index) => put(idOf(index), at + (index - 2) * hour)),
          );
        expect(await dueIds()).toEqual([idOf(0), idOf(1), idOf(2)]);
        const next = await due();
        expect(next.schedules[0]!.now + next.nextInMs).toBe(at + hour);
        const listed: string[] = [];
        for (let after: string | undefined; ;) {
          const page = await schedules.list(queue, { limit: 300, after });
          listed.push(...page.schedules.map(({ id }) => id));
          after = page.next;
          if (after === undefined) break;
        }
        expect(listed).toEqual(Array.from({ length: 10_000 }, (_, index) => idOf(index)));
        await advanceOne(step(idOf(0), at - 2 * hour, { nextSlot: at + 20_000 * hour }));
        const head = await schedules.list(queue, { limit: 9_999 });
        const behind = await schedules.list(queue, { limit: 9, after: head.next });
        expect(behind.schedules.map(({ id }) => id)).toEqual([idOf(0)]);
        expect(await dueIds()).toEqual([idOf(1), idOf(2)]);
      }),
    );
  });

  describe('schedules due of a paused queue', () => {
    it(
      'are none until the pause ends, which is when to look again',
      withSchedules(setup, async ({ backend, queue, queueNamed, put, due, dueIds, now, advance, about }) => {
        const at = await now();
        const other = queueNamed('other');
        await put('a', at - hour);
        await put('other', at + 30 * minute, { queue: other });
        await backend.catalog.pause(queue, 10 * minute);
        expect(await due([queue, other])).toMatchObject({ schedules: [], nextInMs: about(10 * minute) });
        await backend.catalog.pause(queue);
        expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
        expect(await due([queue, other])).toMatchObject({ schedules: [], nextInMs: about(30 * minute) });
        await advance(30 * minute);
        expect(await dueIds([queue, other])).toEqual(['other']);
        await backend.catalog.resume(queue);
        expect(await dueIds([queue, other])).toEqual(['a', 'other']);
      }),
    );

    it(
      'are there when a pause has ended by itself, and not before the first slot',
      withSchedules(setup, async ({ backend, queue, put, due, dueIds, now, advance, about }) => {
        await put('a', (await now()) + 20 * minute);
        await backend.catalog.pause(queue, 10 * minute);
        expect((await due()).nextInMs).toEqual(about(20 * minute));
        await advance(10 * minute);
        expect((await due()).nextInMs).toEqual(about(10 * minute));
        await advance(10 * minute);
        expect(await dueIds()).toEqual(['a']);
      }),
    );
  });

  describe('schedules defer', () => {
    it(
      'leaves a due schedule out for a while, which stays at its slot',
      withSchedules(
        setup,
        async ({ schedules, put, read, due, dueIds, now, advanceToJustBefore, advance, about }) => {
          const slot = await now();
          await put('a', slot);
          await put('b', slot + 1);
          const [seen] = (await due()).schedules;
          const before = await read('a');
          await advance(1);
          await schedules.defer([seen!], 10 * minute);
          expect(await dueIds()).toEqual(['b']);
          expect((await due()).nextInMs).toEqual(about(10 * minute));
          expect(await read('a')).toEqual(before);
          const missing = await advanceToJustBefore(10 * minute);
          expect(await dueIds()).toEqual(['b']);
          await advance(missing);
          expect(await dueIds()).toEqual(['b', 'a']);
        },
      ),
    );

    it(
      'leaves alone what has moved on since, is paused or gone',
      withSchedules(
        setup,
        async ({ schedules, put, ref, step, advanceOne, dueIds, queue, now, advance, read }) => {
          const slot = await now();
          for (const id of ['moved', 'paused', 'gone']) await put(id, slot);
          const seen = ['moved', 'paused', 'gone', 'unknown'].map((id) => ({ queue, id, nextSlot: slot }));
          await advanceOne(step('moved', slot, { nextSlot: slot + 1_000 }));
          await schedules.pause(ref('paused'));
          await schedules.remove(ref('gone'));
          await advance(2_000);
          await schedules.defer(seen, hour);
          expect(await dueIds()).toEqual(['moved']);
          await advance(2 * hour);
          expect(await dueIds()).toEqual(['moved']);
          expect(await read('gone')).toBeUndefined();
        },
      ),
    );

    it(
      'does not bring a slot nearer',
      withSchedules(setup, async ({ schedules, put, queue, due, now, about }) => {
        const slot = (await now()) + hour;
        await put('a', slot);
        await schedules.defer([{ queue, id: 'a', nextSlot: slot }], minute);
        expect((await due()).nextInMs).toEqual(about(hour));
      }),
    );

    it(
      'is over when the schedule is put as unchanged, but not when it is put only if absent or declared',
      withSchedules(setup, async ({ schedules, schedule, put, queue, ref, dueIds, now }) => {
        const slot = await now();
        await put('a', slot, { isDeclared: true });
        await schedules.defer([{ queue, id: 'a', nextSlot: slot }], hour);
        await schedules.put(schedule('a', slot), 'absent');
        await schedules.declare([ref('a')]);
        expect(await dueIds()).toEqual([]);
        await schedules.put(schedule('a', slot + hour), 'replace');
        expect(await dueIds()).toEqual(['a']);
      }),
    );

    it(
      'hinders nobody who has the slot in hand, and ends with it',
      withSchedules(setup, async ({ schedules, put, queue, step, advanceOne, dueIds, now, advance }) => {
        const slot = await now();
        await put('a', slot);
        await schedules.defer([{ queue, id: 'a', nextSlot: slot }], hour);
        expect(await advanceOne(step('a', slot))).toMatchObject({ status: 'advanced' });
        await advance(minute);
        expect(await dueIds()).toEqual(['a']);
      }),
    );

    it(
      'ends no pause by its own end',
      withSchedules(setup, async ({ schedules, schedule, put, queue, ref, due, now, advance }) => {
        const slot = await now();
        await put('a', slot);
        await schedules.defer([{ queue, id: 'a', nextSlot: slot }], hour);
        await schedules.pause(ref('a'));
        await schedules.put(schedule('a', slot), 'replace');
        await advance(2 * hour);
        expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
      }),
    );
  });
}
