import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hour, minute, withSchedules } from './schedule-setup.js';
import type { Setup } from './setup.js';

export function describeSchedules(setup: Setup): void {
  describe('schedules put', () => {
    it(
      'stores a rule that is due at its first slot, and not before',
      withSchedules(
        setup,
        async ({ queue, schedules, schedule, now, due, advanceToJustBefore, advance, about }) => {
          const slot = (await now()) + minute;
          expect(await schedules.put(schedule('a', slot), 'absent')).toBe('stored');
          const missing = await advanceToJustBefore(minute);
          expect(await due()).toMatchObject({ schedules: [], nextInMs: about(missing) });
          await advance(missing);
          const record = { queue, id: 'a', job: 'Report', rule: 'every minute', template: '{"params":1}' };
          const place = { firstSlot: slot, nextSlot: slot, fired: 0, skipped: 0, isPaused: false };
          const seen = { version: expect.any(Number), now: about(slot) };
          expect(await due()).toEqual({ schedules: [{ ...record, ...place, ...seen }], nextInMs: Infinity });
        },
      ),
    );

    it(
      "takes the store's time for a first slot that is now",
      withSchedules(setup, async ({ put, due, read, advance, now, about }) => {
        await advance(12_345);
        await put('a', 'now');
        const slot = about(await now());
        expect(await read('a')).toMatchObject({ firstSlot: slot, nextSlot: slot });
        expect((await due()).schedules).toMatchObject([{ id: 'a' }]);
      }),
    );

    it(
      'leaves one that is there as it is, where it is to be put only if absent',
      withSchedules(setup, async ({ schedules, schedule, read, now }) => {
        const slot = await now();
        await schedules.put(schedule('a', slot), 'absent');
        const before = await read('a');
        const other = schedule('a', slot + 1, {
          job: 'Other',
          rule: 'new',
          template: 'new',
          isDeclared: true,
        });
        expect(await schedules.put(other, 'absent')).toBe('existing');
        expect(await read('a')).toEqual(before);
      }),
    );

    it(
      'leaves one whose rule is the same in its place, where it is to replace it',
      withSchedules(setup, async ({ schedules, schedule, put, read, advanceOne, step, now, about }) => {
        const slot = await now();
        await put('a', slot);
        await advanceOne(step('a', slot, { skipped: 2 }));
        const before = await read('a');
        const same = schedule('a', slot + hour, { job: 'Renamed', template: 'new', isDeclared: true });
        expect(await schedules.put({ ...same, firstSlot: slot - 1, isPaused: true }, 'replace')).toBe(
          'existing',
        );
        const version = expect.any(Number);
        const taken = { job: 'Renamed', template: 'new', declaredAt: about(slot), version };
        expect(await read('a')).toEqual({ ...before, ...taken });
        // Said by a call, it takes the declaration from nobody.
        await schedules.put({ ...same, isDeclared: false }, 'replace');
        expect(await read('a')).toEqual({ ...before, ...taken });
      }),
    );

    it(
      'replaces one whose rule is another; its past and its pause stay',
      withSchedules(setup, async ({ schedules, schedule, read, ref, advanceOne, step, now, about }) => {
        const slot = await now();
        await schedules.put(schedule('a', slot, { isDeclared: true }), 'absent');
        const first = step('a', slot, { skipped: 2 });
        await advanceOne(first);
        await schedules.pause(ref('a'));
        const given = { job: 'Other', rule: 'new', template: 'new', firstSlot: slot - hour };
        const other = schedule('a', slot + hour, given);
        const brought = { lastSlot: slot + minute, isPaused: false };
        expect(await schedules.put({ ...other, ...brought }, 'replace')).toBe('replaced');
        const past = { lastSlot: slot, lastTask: first.task!.id, fired: 1, skipped: 2, isPaused: true };
        const { queue, id, nextSlot } = other;
        const version = expect.any(Number);
        expect(await read('a')).toEqual({ queue, id, ...given, nextSlot, version, ...past });
        await schedules.put({ ...other, rule: 'newer', isDeclared: true }, 'replace');
        expect(await read('a')).toMatchObject({ declaredAt: about(slot), isPaused: true });
      }),
    );

    it(
      'does nothing where another rule would begin at a slot that is past',
      withSchedules(setup, async ({ schedules, schedule, put, read, ref, advanceOne, step, queue, now }) => {
        const slot = (await now()) - minute;
        await put('a', slot);
        await advanceOne(step('a', slot, { passes: slot + 30_000 }));
        await schedules.defer([{ queue, id: 'a', nextSlot: slot + minute }], hour);
        const before = await read('a');
        const other = (nextSlot: number) =>
          schedule('a', nextSlot, { job: 'Other', rule: 'new', template: 'new', isDeclared: true });
        for (const nextSlot of [slot, slot + 30_000])
          expect(await schedules.put(other(nextSlot), 'replace')).toBe('passed');
        expect(await read('a')).toEqual(before);
        expect(await schedules.put(other(slot + 30_001), 'replace')).toBe('replaced');
        expect(await read('a')).toMatchObject({ nextSlot: slot + 30_001, lastSlot: slot + 30_000 });
        expect(await put('a', 'now', { rule: 'newer' })).toBe('replaced');
        // One that has passed no slot may be put back.
        await schedules.remove(ref('a'));
        await put('a', slot);
        expect(await put('a', slot - hour, { rule: 'new' })).toBe('replaced');
      }),
    );

    it(
      'stores anew what a schedule brings along from another queue',
      withSchedules(setup, async ({ put, read, due, dueIds, now, schedules, ref }) => {
        const slot = (await now()) - minute;
        const brought = { firstSlot: slot - hour, lastSlot: slot - minute };
        await put('a', slot, { ...brought, isPaused: true });
        await put('b', slot, brought);
        expect(await read('a')).toMatchObject({ ...brought, nextSlot: slot, isPaused: true, fired: 0 });
        expect(await dueIds()).toEqual(['b']);
        await schedules.remove(ref('b'));
        expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
        expect(await put('a', slot - minute, { rule: 'new' })).toBe('passed');
        expect(await schedules.resume(ref('a'), slot, slot)).toBe('resumed');
        expect(await dueIds()).toEqual(['a']);
      }),
    );

    it(
      'makes one that was replaced due at its new slot, sooner or later than before',
      withSchedules(setup, async ({ put, dueIds, due, now, about }) => {
        const slot = await now();
        await put('a', slot);
        await put('a', slot + hour, { rule: 'later' });
        expect(await due()).toMatchObject({ schedules: [], nextInMs: about(hour) });
        await put('a', slot - hour, { rule: 'sooner' });
        expect(await dueIds()).toEqual(['a']);
      }),
    );

    it(
      'keeps schedules of one id in two queues apart',
      withSchedules(setup, async ({ schedules, put, queueNamed, due }) => {
        const [x, y] = [queueNamed('x'), queueNamed('y')];
        expect(await put('a', 'now', { queue: x })).toBe('stored');
        expect(await put('a', 'now', { queue: y })).toBe('stored');
        expect(await schedules.remove({ queue: x, id: 'a' })).toBe(true);
        expect((await due([x, y])).schedules).toMatchObject([{ queue: y }]);
      }),
    );

    it(
      'makes its queue one of those that are known',
      withSchedules(setup, async ({ backend, put, queueNamed, schedules }) => {
        const [known, unknown] = [queueNamed('known'), queueNamed('unknown')];
        await put('a', 'now', { queue: known });
        await schedules.get({ queue: unknown, id: 'a' });
        await schedules.due([{ queue: unknown, skip: 0 }]);
        const queues = await backend.catalog.queues();
        expect(queues).toContain(known);
        expect(queues).not.toContain(unknown);
      }),
    );

    it(
      'stores whatever text it is given, and so do its steps',
      withSchedules(
        setup,
        async ({ backend, queue, schedules, schedule, advanceOne, step, task, get, dueIds, now }) => {
          const slot = await now();
          const text = fc.string({ unit: 'binary' });
          const odd = fc.constantFrom('\x1f', '\x1e', '|', '%1F', '%', '\0', '1,2,3|', '', 'ä\u{1f600}\n');
          const texts = fc.array(fc.oneof(odd, text), { maxLength: 5 }).map((parts) => parts.join(''));
          const ids = texts.map((id) => `${id}.`);
          await fc.assert(
            fc.asyncProperty(ids, ids, texts, texts, texts, async (id, taskId, job, rule, template) => {
              await schedules.put(schedule(id, slot, { job, rule, template, isDeclared: true }), 'replace');
              const ref = { queue, id };
              expect(await dueIds()).toEqual([id]);
              const work = task({ id: taskId, scheduleId: id, slot });
              expect(await advanceOne(step(id, slot, { task: work }))).toMatchObject({ status: 'advanced' });
              const expected = { queue, id, job, rule, template, lastTask: taskId, nextSlot: slot + minute };
              expect(await schedules.get(ref)).toMatchObject(expected);
              expect(await get(taskId)).toMatchObject({ scheduleId: id, slot, params: '{}' });
              await schedules.defer([{ ...ref, nextSlot: slot + minute }], 0);
              await schedules.declare([ref]);
              expect((await schedules.list(queue, { limit: 9 })).schedules).toMatchObject([expected]);
              expect(await schedules.remove(ref)).toBe(true);
              await backend.catalog.remove([{ queue, id: taskId }]);
            }),
            { numRuns: 50 },
          );
        },
      ),
    );
  });

  describe('schedules declare', () => {
    it(
      'says for many at once that they are still declared, whatever else is named',
      withSchedules(setup, async ({ schedules, put, read, advance, now, about, queue, queueNamed }) => {
        const other = queueNamed('other');
        await put('a', 'now', { isDeclared: true });
        await put('b', 'now', { isDeclared: true, queue: other });
        await put('by-call', 'now');
        const before = await now();
        await advance(hour);
        const more = Array.from({ length: 1_200 }, (_, index) => ({ queue, id: `unknown-${index}` }));
        const refs = [
          { queue, id: 'a' },
          { queue: other, id: 'b' },
          { queue, id: 'by-call' },
        ];
        expect(await read('a')).toMatchObject({ declaredAt: about(before) });
        expect(await schedules.declare([...more, ...refs])).toEqual(more);
        expect(await read('a')).toMatchObject({ declaredAt: about(before + hour) });
        expect(await read('b', other)).toMatchObject({ declaredAt: about(before + hour) });
        expect((await read('by-call'))!.declaredAt).toBeUndefined();
        expect(await read('unknown-1')).toBeUndefined();
        await schedules.remove({ queue: other, id: 'b' });
        expect(await schedules.declare(refs)).toEqual([{ queue: other, id: 'b' }]);
        expect(await schedules.declare([])).toEqual([]);
      }),
    );
  });

  describe('schedules remove', () => {
    it(
      'takes a schedule away, once',
      withSchedules(setup, async ({ schedules, put, read, ref, due }) => {
        await put('a', 'now');
        expect(await schedules.remove(ref('a'))).toBe(true);
        expect(await schedules.remove(ref('a'))).toBe(false);
        expect(await read('a')).toBeUndefined();
        expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
        expect(await put('a', 'now')).toBe('stored');
      }),
    );

    it(
      'leaves one alone that was declared since, or is by a call, where it is said how it was seen',
      withSchedules(setup, async ({ schedules, put, read, ref, advance }) => {
        await put('a', 'now', { isDeclared: true });
        const { declaredAt } = (await read('a'))!;
        await advance(1_000);
        await schedules.declare([ref('a')]);
        expect(await schedules.remove(ref('a'), declaredAt)).toBe(false);
        const again = (await read('a'))!.declaredAt;
        await put('a', 'now', { rule: 'by a call' });
        expect(await schedules.remove(ref('a'), again)).toBe(false);
        await put('a', 'now', { rule: 'by a call', isDeclared: true });
        expect(await schedules.remove(ref('a'), (await read('a'))!.declaredAt)).toBe(true);
        expect(await read('a')).toBeUndefined();
        expect(await schedules.remove(ref('a'), 1)).toBe(false);
      }),
    );
  });

  describe('schedules now', () => {
    it(
      "is the store's time",
      withSchedules(setup, async ({ schedules, queue, put, due, advance, about }) => {
        const before = await schedules.now(queue);
        await put('a', 'now');
        expect((await due()).schedules).toMatchObject([{ now: about(before) }]);
        await advance(hour);
        expect(await schedules.now(queue)).toEqual(about(before + hour));
      }),
    );
  });
}
