import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError } from '../../../lib/task/errors.js';
import { hour, minute, type ScheduleBundle, withSchedules } from './schedule-setup.js';
import type { Setup } from './setup.js';

export function describeSchedulesPages(setup: Setup): void {
  describe('schedules list', () => {
    it(
      'gives them in the order in which they come up, page by page, deferred ones later and paused ones last',
      withSchedules(setup, async (bundle) => {
        const { schedules, queue, queueNamed, put, ref, now, read } = bundle;
        const at = await now();
        await put('paused', at - hour);
        await put('third', at + minute);
        await put('deferred', at - minute);
        await put('second', at);
        await put('first', at - 2 * minute);
        await put('other', at, { queue: queueNamed('other') });
        await schedules.pause(ref('paused'));
        await schedules.defer([{ queue, id: 'deferred', nextSlot: at - minute }], hour);
        const all = await schedules.list(queue, { limit: 100 });
        const ids = ['first', 'second', 'third', 'deferred', 'paused'];
        expect(all.schedules.map(({ id }) => id)).toEqual(ids);
        expect(all.next).toBeUndefined();
        expect(all.schedules[4]).toEqual(await read('paused'));
        for (const limit of [1, 2, 3, 5]) expect((await pagesOf(bundle, limit)).flat()).toEqual(ids);
        expect(await schedules.list(queueNamed('unknown'), { limit: 2 })).toEqual({
          schedules: [],
          next: undefined,
        });
      }),
    );

    it(
      'has an order also among those of one slot, and among those that are paused',
      withSchedules(setup, async (bundle) => {
        const { schedules, put, ref, now } = bundle;
        const at = await now();
        const odd = ['a:b|c', 'a:c', "d'", 'd"', '\u{1f600}', '~,~'];
        for (const id of ['d', 'b', 'a', 'c', 'e', 'f', ...odd]) await put(id, at);
        for (const id of ['f', 'e', 'd"', '~,~']) await schedules.pause(ref(id));
        const ids = (await pagesOf(bundle, 1)).flat();
        expect(new Set(ids).size).toBe(12);
        expect(ids).toHaveLength(12);
        expect((await pagesOf(bundle, 5)).flat()).toEqual(ids);
        expect(ids.filter((id) => /^[a-f]$/.test(id))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
        expect(ids.slice(8).toSorted()).toEqual(['d"', 'e', 'f', '~,~']);
      }),
    );

    it(
      'leaves none out, whichever are gone between two pages, and gives those that stay once',
      withSchedules(setup, async (bundle) => {
        const { schedules, put, ref, now } = bundle;
        const at = await now();
        const all = Array.from({ length: 12 }, (_, n) => `s${String(n).padStart(2, '0')}`);
        for (const [n, id] of all.entries()) await put(id, at + Math.floor(n / 4) * minute);
        const gone = new Set<string>();
        const pages = await pagesOf(bundle, 2, async (seen) => {
          const next = all.find((id) => !seen.includes(id) && !gone.has(id));
          for (const id of [seen.at(-1), next]) {
            if (id === undefined) continue;
            await schedules.remove(ref(id));
            gone.add(id);
          }
        });
        const seen = pages.flat();
        expect(new Set(seen).size).toBe(seen.length);
        expect(gone.size).toBeGreaterThan(4);
        expect(all.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([]);
      }),
    );

    it(
      'leaves out none that fires, or is put, between two pages',
      withSchedules(setup, async (bundle) => {
        const { put, now, advanceOne, step, read } = bundle;
        const at = await now();
        const all = Array.from({ length: 10 }, (_, n) => `s${n}`);
        for (const [n, id] of all.entries()) await put(id, at - hour + n);
        let firing = 0;
        const pages = await pagesOf(bundle, 3, async (seen) => {
          // One that was seen, and one that was not.
          for (const id of [seen[0]!, all.find((other) => !seen.includes(other))]) {
            if (id === undefined || firing > 5) continue;
            const { nextSlot } = (await read(id))!;
            await advanceOne(step(id, nextSlot, { nextSlot: at + ++firing * minute }));
          }
          await put(`new ${firing}`, at - 2 * hour);
        });
        const seen = new Set(pages.flat());
        expect(all.filter((id) => !seen.has(id))).toEqual([]);
      }),
    );

    it(
      'refuses a place that no page gave',
      withSchedules(setup, async ({ schedules, queue, put, now }) => {
        for (const id of ['a', 'b', 'c']) await put(id, await now());
        for (const after of ['', 'a', 'nonsense', "' OR true --", '{}', 'NaN'])
          await expect(schedules.list(queue, { limit: 2, after })).rejects.toThrow(InvalidOptionError);
      }),
    );
  });
}

/** Page after page to the end; `between` is called with all that was seen, before each next one. */
async function pagesOf(
  { schedules, queue }: ScheduleBundle,
  limit: number,
  between: (seen: string[]) => Promise<void> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await schedules.list(queue, { limit, after });
    expect(page.schedules.length).toBeLessThanOrEqual(limit);
    pages.push(page.schedules.map(({ id }) => id));
    if (pages.length > 100) throw new Error('the pages do not end');
    if (page.next !== undefined) await between(pages.flat());
    after = page.next;
  } while (after !== undefined);
  return pages;
}
