import { describe, expect, it } from '@jest/globals';
import type { SlotOutcome } from '../../../lib/backend/stats-store.js';
import { minute } from './schedule-setup.js';
import type { Setup } from './setup.js';
import { withStats } from './stats-setup.js';

export function describeStatsOfSlots(setup: Setup): void {
  describe('outcomes of slots', () => {
    it(
      'are told latest slot first, with when they were told',
      withStats(setup, async ({ stats, queue, report, now, about, advance }) => {
        const at = await now();
        const ref = { queue, id: 'a:b|c' };
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
      withStats(setup, async ({ stats, queue, queueNamed, report, now }) => {
        const at = await now();
        const refs = [
          { queue, id: 'a' },
          { queue, id: 'b' },
          { queue: queueNamed('other'), id: 'a' },
        ];
        const told = (from: number, to: number) =>
          Array.from({ length: to - from }, (_, n) => ({
            slot: at + (from + n) * minute,
            task: `task-${from + n}`,
            outcome: 'succeeded' as const,
          }));
        for (const from of [0, 7, 14, 21])
          await report({ slots: told(from, from + 7).map((slot) => ({ ...refs[0]!, ...slot })) });
        await report({
          slots: refs.slice(1).flatMap((ref) => told(0, 1).map((slot) => ({ ...ref, ...slot }))),
        });
        const tasks = (slots: readonly SlotOutcome[]) => slots.map(({ task }) => task);
        expect(tasks(await stats.slots(refs[0]!))).toEqual(tasks(toOutcomes(told(8, 28))).toReversed());
        await report({ slots: told(28, 58).map((slot) => ({ ...refs[0]!, ...slot })) });
        expect(tasks(await stats.slots(refs[0]!))).toEqual(tasks(toOutcomes(told(38, 58))).toReversed());
        for (const ref of refs.slice(1)) expect(tasks(await stats.slots(ref))).toEqual(['task-0']);
      }),
    );

    it(
      'are one of a slot, the last that was said of it, wherever it stands',
      withStats(setup, async ({ stats, queue, report, now }) => {
        const at = await now();
        const told = (n: number, outcome: SlotOutcome['outcome']) => ({
          ...{ queue, id: 'a', slot: at + n * minute, task: `task-${n}`, outcome },
        });
        await report({ slots: [told(1, 'failed'), told(3, 'succeeded')] });
        // One that ran for longer than the next.
        await report({ slots: [told(2, 'succeeded'), told(1, 'failed'), told(1, 'dead')] });
        expect((await stats.slots({ queue, id: 'a' })).map(({ task, outcome }) => [task, outcome])).toEqual([
          ['task-3', 'succeeded'],
          ['task-2', 'succeeded'],
          ['task-1', 'dead'],
        ]);
      }),
    );
  });
}

const toOutcomes = (slots: readonly Omit<SlotOutcome, 'at'>[]) => slots.map((slot) => ({ ...slot, at: 0 }));
