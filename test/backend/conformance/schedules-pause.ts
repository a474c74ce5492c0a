import { describe, expect, it } from '@jest/globals';
import { hour, minute, withSchedules } from './schedule-setup.js';
import type { Setup } from './setup.js';

export function describeSchedulesPause(setup: Setup): void {
  describe('schedules pause', () => {
    it(
      'lets slots pass without a task',
      withSchedules(
        setup,
        async ({ schedules, put, ref, read, due, step, advanceOne, now, advance, counts }) => {
          const slot = await now();
          await put('a', slot);
          await put('b', slot + hour);
          const before = await read('a');
          expect(await schedules.pause(ref('a'))).toBe(true);
          expect(await schedules.pause(ref('b'))).toBe(true);
          expect(await read('a')).toEqual({ ...before, isPaused: true });
          await advance(100 * hour);
          expect(await due()).toMatchObject({ schedules: [], nextInMs: Infinity });
          // Also for whoever saw it in time.
          expect(await advanceOne(step('a', slot))).toEqual({ status: 'lost' });
          expect(await counts()).toEqual({});
        },
      ),
    );

    it(
      'says where there is no such schedule, and may be said again',
      withSchedules(setup, async ({ schedules, put, ref }) => {
        expect(await schedules.pause(ref('a'))).toBe(false);
        await put('a', 'now');
        expect(await schedules.pause(ref('a'))).toBe(true);
        expect(await schedules.pause(ref('a'))).toBe(true);
      }),
    );
  });

  describe('schedules resume', () => {
    it(
      'goes on at the given slot',
      withSchedules(setup, async ({ schedules, put, ref, read, due, dueIds, now, advance, about }) => {
        const slot = await now();
        await put('a', slot);
        const before = await read('a');
        await schedules.pause(ref('a'));
        await advance(hour);
        expect(await schedules.resume(ref('a'), slot, slot + hour + minute)).toBe('resumed');
        expect(await read('a')).toEqual({ ...before, nextSlot: slot + hour + minute });
        expect(await due()).toMatchObject({ schedules: [], nextInMs: about(minute) });
        await advance(minute);
        expect(await dueIds()).toEqual(['a']);
      }),
    );

    it(
      'is lost where the schedule stands elsewhere, is not paused or gone',
      withSchedules(setup, async ({ schedules, put, ref, read, now }) => {
        const slot = await now();
        await put('elsewhere', slot);
        await schedules.pause(ref('elsewhere'));
        await put('going', slot);
        const before = [await read('elsewhere'), await read('going')];
        for (const [id, at] of [
          ['elsewhere', slot + 1],
          ['going', slot],
          ['gone', slot],
        ] as const)
          expect(await schedules.resume(ref(id), at, slot + hour)).toBe('lost');
        expect([await read('elsewhere'), await read('going')]).toEqual(before);
      }),
    );

    it(
      'succeeds once, however many say it at the same time',
      withSchedules(setup, async ({ schedules, put, ref, now }) => {
        const slot = await now();
        await put('a', slot);
        await schedules.pause(ref('a'));
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => schedules.resume(ref('a'), slot, slot)),
        );
        expect(answers.sort()).toEqual([...Array(7).fill('lost'), 'resumed']);
      }),
    );
  });
}
