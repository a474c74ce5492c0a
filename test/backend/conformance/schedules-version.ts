import { describe, expect, it } from '@jest/globals';
import { hour, minute, withSchedules } from './schedule-setup.js';
import type { Setup } from './setup.js';

export function describeSchedulesVersion(setup: Setup): void {
  describe('the version of a schedule', () => {
    it(
      'is another after every put that changed what it is, also where it was gone in between',
      withSchedules(setup, async ({ schedules, put, read, ref, now }) => {
        const slot = await now();
        const seen = new Set<number>();
        const changes = [
          () => put('a', slot),
          () => put('a', slot, { job: 'Renamed' }),
          () => put('a', slot, { job: 'Renamed', template: 'new' }),
          () => put('a', slot, { rule: 'new' }),
          () => put('a', 'now', { rule: 'newer' }),
          () => schedules.remove(ref('a')).then(() => put('a', slot)),
          () => schedules.remove(ref('a')).then(() => put('a', slot)),
        ];
        for (const change of changes) {
          await change();
          seen.add((await read('a'))!.version);
        }
        expect(seen.size).toBe(changes.length);
      }),
    );

    it(
      'stays through all else',
      withSchedules(setup, async ({ schedules, schedule, put, read, ref, queue, step, advanceOne, now }) => {
        const slot = await now();
        await put('a', slot, { isDeclared: true });
        const { version } = (await read('a'))!;
        await put('a', slot + hour);
        await put('a', slot, { isDeclared: true });
        await schedules.put(schedule('a', slot, { rule: 'new' }), 'absent');
        await schedules.declare([ref('a')]);
        await schedules.defer([{ queue, id: 'a', nextSlot: slot }], minute);
        await put('a', slot);
        await schedules.pause(ref('a'));
        await schedules.resume(ref('a'), slot, slot);
        expect(await advanceOne(step('a', slot, { version }))).toMatchObject({ status: 'advanced' });
        expect(await put('a', slot, { rule: 'new' })).toBe('passed');
        expect(await advanceOne(step('a', slot + minute, { version }))).toMatchObject({ status: 'advanced' });
      }),
    );

    it.each([
      ['another job', { job: 'Other' }],
      ['another template', { template: 'new' }],
      ['another rule', { rule: 'new' }],
      ['the same, after it was removed', undefined],
    ] as const)('keeps a step away from one that was put since as %s, at the same slot', (_what, fields) =>
      withSchedules(setup, async ({ schedules, put, read, ref, step, advanceOne, now, counts }) => {
        const slot = await now();
        await put('a', slot);
        const { version } = (await read('a'))!;
        if (!fields) await schedules.remove(ref('a'));
        await put('a', slot, fields);
        const before = await read('a');
        expect(await advanceOne(step('a', slot, { version }))).toEqual({ status: 'lost' });
        expect(await read('a')).toEqual(before);
        expect(await counts()).toEqual({});
        expect(await advanceOne(step('a', slot, { version: before!.version }))).toMatchObject({
          status: 'advanced',
        });
      })(),
    );
  });
}
