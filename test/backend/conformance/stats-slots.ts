import { describe, expect, it } from '@jest/globals';
import type { SlotOutcome } from '../../../lib/backend/stats-store.js';
import type { TaskRef } from '../../../lib/task/task-record.js';
import { minute } from './schedule-setup.js';
import type { Setup } from './setup.js';
import { withStats } from './stats-setup.js';

export function describeStatsOfSlots(setup: Setup): void {
  describe('outcomes of slots', () => {
    it(
      'are told latest slot first, with when they were told',
      withStats(setup, async ({ stats, putSchedule, queue, report, now, about, advance }) => {
        const at = await now();
        const ref = await putSchedule('a:b|c');
        expect(await stats.slots(ref)).toEqual([]);
        const outcomes = ['succeeded', 'failed', 'dead', 'cancelled', 'lost'] as const;
        const slots = outcomes.map((outcome, n) => ({ slot: at + n * minute, task: `t"${n}`, outcome }));
        await report({ slots: slots.slice(0, 3).map((slot) => ({ ...ref, ...slot })) });
        await advance(10 * minute);
        await report({ slots: slots.slice(3).map((slot) => ({ ...ref, ...slot })) });
        const expected = slots.map((slot, n) => ({
          ...slot,
          slot: about(slot.slot),
          at: about(n < 3 ? at : at + 10 * minute),
        }));
        expect(await stats.slots(ref)).toEqual(expected.toReversed());
        expect(await stats.slots({ queue, id: 'unknown' })).toEqual([]);
      }),
    );

    it(
      'are kept of the latest 20 slots, each schedule by itself',
      withStats(setup, async ({ stats, putSchedule, queueNamed, report, now }) => {
        const at = await now();
        const [many, ...others] = [
          await putSchedule('a'),
          await putSchedule('b'),
          await putSchedule('a', queueNamed('other')),
        ];
        const tell = (ref: TaskRef, from: number, to: number) =>
          Array.from({ length: to - from }, (_, n) => told(ref, at, from + n, 'succeeded'));
        const tasks = async (ref: TaskRef) => (await stats.slots(ref)).map(({ task }) => task);
        const latest = (to: number) => Array.from({ length: 20 }, (_, n) => `task-${to - 1 - n}`);
        for (const from of [0, 7, 14, 21]) await report({ slots: tell(many, from, from + 7) });
        await report({ slots: others.flatMap((ref) => tell(ref, 0, 1)) });
        expect(await tasks(many)).toEqual(latest(28));
        await report({ slots: tell(many, 28, 58) });
        expect(await tasks(many)).toEqual(latest(58));
        for (const ref of others) expect(await tasks(ref)).toEqual(['task-0']);
      }),
    );

    it(
      'are one of a slot, the last that was said of it, wherever it stands',
      withStats(setup, async ({ stats, putSchedule, report, now }) => {
        const at = await now();
        const ref = await putSchedule('a');
        await report({ slots: [told(ref, at, 1, 'failed'), told(ref, at, 3, 'succeeded')] });
        // One that ran for longer than the next.
        const later = [told(ref, at, 2, 'succeeded'), told(ref, at, 1, 'failed'), told(ref, at, 1, 'dead')];
        await report({ slots: later });
        expect((await stats.slots(ref)).map(({ task, outcome }) => [task, outcome])).toEqual([
          ['task-3', 'succeeded'],
          ['task-2', 'succeeded'],
          ['task-1', 'dead'],
        ]);
      }),
    );

    it(
      'outlast that the schedule is paused, fires or gets another rule, and go when it is removed',
      withStats(setup, async ({ backend, stats, putSchedule, report, now, runs, jobs }) => {
        const { schedules } = backend;
        const at = await now();
        const ref = await putSchedule('a');
        await report({ slots: [told(ref, at, 1, 'failed')] });
        await schedules.pause(ref);
        await putSchedule('a', ref.queue, 'another rule');
        const { nextSlot, version } = (await schedules.get(ref))!;
        await schedules.resume(ref, nextSlot, nextSlot + minute);
        const step = { ...ref, slot: nextSlot + minute, version, passes: nextSlot + minute, skipped: 0 };
        const next = { nextSlot: nextSlot + 2 * minute, overlap: 'queue' as const };
        expect(await schedules.advance([{ ...step, ...next }])).toEqual([{ status: 'advanced' }]);
        expect(await stats.slots(ref)).toMatchObject([{ task: 'task-1', outcome: 'failed' }]);
        expect(await schedules.remove(ref)).toBe(true);
        expect(await stats.slots(ref)).toEqual([]);
        // One that ended after it: the rest of the report counts all the same.
        await report({ slots: [told(ref, at, 2, 'dead')], runs: [runs({ failed: 1 })] });
        expect(await stats.slots(ref)).toEqual([]);
        expect(await jobs()).toMatchObject([{ failed: 1 }]);
        await putSchedule('a');
        expect(await stats.slots(ref)).toEqual([]);
      }),
    );

    it(
      'go when the schedule comes to its end',
      withStats(setup, async ({ backend, stats, putSchedule, report, now }) => {
        const { schedules } = backend;
        const at = await now();
        const ref = await putSchedule('a');
        await report({ slots: [told(ref, at, 1, 'succeeded')] });
        const { nextSlot, version } = (await schedules.get(ref))!;
        const step = { ...ref, slot: nextSlot, version, passes: nextSlot, nextSlot: undefined, skipped: 0 };
        expect(await schedules.advance([{ ...step, overlap: 'queue' }])).toEqual([{ status: 'advanced' }]);
        expect(await stats.slots(ref)).toEqual([]);
        await putSchedule('a');
        expect(await stats.slots(ref)).toEqual([]);
      }),
    );
  });
}

const told = (ref: TaskRef, at: number, n: number, outcome: SlotOutcome['outcome']) => ({
  ...{ ...ref, slot: at + n * minute, task: `task-${n}`, outcome },
});
