import { describe, expect, it } from '@jest/globals';
import { InvalidOptionError } from '../../../lib/task/errors.js';
import type { TaskState } from '../../../lib/task/task-record.js';
import { type Bundle, endingIn, leaseOf, type Setup } from './setup.js';

const states: TaskState[] = ['scheduled', 'waiting', 'pending', 'succeeded', 'dead', 'cancelled', 'parked'];
const inBothDirections = states.flatMap((state) => [
  { state, direction: 'forwards', backwards: false },
  { state, direction: 'backwards', backwards: true },
]);
/** What a cursor may have to carry. */
const oddIds = ['a:b|c', 'x,y', '\u{1f600}ü', '"', "'", '%', ' ', '-1', '0'];

export function describeCatalogPages(setup: Setup): void {
  describe('catalog pages', () => {
    it.each(inBothDirections)(
      'give $state tasks each once, $direction, many of them at the same place',
      ({ state, backwards }) =>
        setup(async (bundle) => {
          const ids = [...oddIds, ...named('even', 14)];
          await bringMany(bundle, state, ids);
          const all = await bundle.list(state);
          expect(all.toSorted()).toEqual(ids.toSorted());
          const inOrder = backwards ? all.toReversed() : all;
          expect(await bundle.list(state, { limit: 1_000, backwards })).toEqual(inOrder);
          for (const limit of [1, 4, 7, 23])
            expect((await pagesOf(bundle, state, { limit, backwards })).flat()).toEqual(inOrder);
        })(),
    );

    it.each(['succeeded', 'dead', 'cancelled'] as const)(
      'give %s tasks in the order in which they are to be removed, not in that of their ends',
      (state) =>
        setup(async ({ start, settle, list }) => {
          const hours = { third: 3, first: 1, second: 2 };
          for (const [id, keep] of Object.entries(hours))
            await settle(await start({ id }), endingIn(state, keep * 3_600_000));
          expect(await list(state)).toEqual(['first', 'second', 'third']);
          expect(await list(state, { limit: 10, backwards: true })).toEqual(['third', 'second', 'first']);
        })(),
    );

    it.each(['succeeded', 'dead', 'cancelled'] as const)(
      'give %s tasks that are never removed last, in the order of their arrival, whichever ended first',
      (state) =>
        setup(async ({ start, settle, list }) => {
          const early = await start({ id: 'came first' });
          const late = await start({ id: 'came second' });
          await settle(late, endingIn(state, Infinity));
          await settle(early, endingIn(state, Infinity));
          await settle(await start({ id: 'goes' }), endingIn(state, 3_600_000));
          expect(await list(state)).toEqual(['goes', 'came first', 'came second']);
          expect(await list(state, { limit: 10, backwards: true })).toEqual([
            'came second',
            'came first',
            'goes',
          ]);
        })(),
    );

    it.each([true, false])(
      'are short where tasks are large, and say where they go on; backwards: %s',
      (backwards) =>
        setup(async ({ enqueue, queue, backend }) => {
          const large = JSON.stringify('x'.repeat(300_000));
          const ids = named('large', 9);
          const due = (month: number) => ({ at: Date.UTC(2040, month) });
          for (const [at, id] of ids.entries()) await enqueue({ id, params: large, due: due(at) });
          const list = async (limit: number, after?: string) => {
            const { tasks, next } = await backend.catalog.list(queue, 'scheduled', {
              limit,
              after,
              backwards,
            });
            return { ids: tasks.map(({ id }) => id), next };
          };
          const seen: string[] = [];
          for (let pages = 0, after: string | undefined; pages === 0 || after !== undefined; pages++) {
            const page = await list(1_000, after);
            expect([3, 4, ids.length % 4]).toContain(page.ids.length);
            seen.push(...page.ids);
            after = page.next;
          }
          expect(seen).toEqual(backwards ? ids.toReversed() : ids);
          // One that is larger than a page is a page.
          const huge = JSON.stringify('y'.repeat(1_000_500));
          await enqueue({ id: 'huge', params: huge, due: due(backwards ? 20 : -20) });
          expect(await list(10)).toEqual({ ids: ['huge'], next: expect.any(String) });
        })(),
    );

    it.each(inBothDirections)(
      'give $state tasks that stay exactly once, $direction, whoever leaves between two pages',
      ({ state, backwards }) =>
        setup(async (bundle) => {
          const ids = named('task', 30);
          const leases = await bringMany(bundle, state, ids);
          const inOrder = await bundle.list(state, { limit: 1_000, backwards });
          const gone = new Set<string>();
          const unseen: string[] = [];
          const pages = await pagesOf(bundle, state, { limit: 4, backwards }, async (seen) => {
            // The one that the page ended with, one before it, the one that is next, and one far behind.
            const next = inOrder.findIndex((id) => !seen.includes(id) && !gone.has(id));
            const leaving = [seen.at(-1)!, seen.at(-3)!, inOrder[next]!, inOrder.at(-1 - gone.size)!];
            const left = [...new Set(leaving)].filter((id) => id !== undefined && !gone.has(id));
            await leave(bundle, state, left, leases);
            left.forEach((id) => gone.add(id));
            unseen.push(...left.filter((id) => !seen.includes(id)));
          });
          const seen = pages.flat();
          expect(new Set(seen).size).toBe(seen.length);
          expect(gone.size).toBeGreaterThan(10);
          expect(unseen.filter((id) => seen.includes(id))).toEqual([]);
          expect(inOrder.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([]);
          expect(seen).toEqual(inOrder.filter((id) => seen.includes(id)));
        })(),
    );

    it.each(inBothDirections)(
      'give $state tasks that stay exactly once, $direction, whoever comes between two pages',
      ({ state, backwards }) =>
        setup(async (bundle) => {
          const ids = named('task', 12);
          await bringMany(bundle, state, ids);
          const inOrder = await bundle.list(state, { limit: 1_000, backwards });
          let count = 0;
          const pages = await pagesOf(bundle, state, { limit: 3, backwards }, async () => {
            if (++count <= 6) await bringMany(bundle, state, named(`new ${count} `, 2));
          });
          const seen = pages.flat();
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => ids.includes(id))).toEqual(inOrder);
        })(),
    );

    it.each([false, true])(
      'give pending tasks exactly once, though leases are renewed between two pages (backwards: %s)',
      (backwards) =>
        setup(async (bundle) => {
          const ids = named('task', 30);
          const leases = [...(await bringMany(bundle, 'pending', ids)).values()];
          let count = 0;
          const pages = await pagesOf(bundle, 'pending', { limit: 4, backwards }, async () => {
            await bundle.advance(1_000);
            // Others each time, of those that were seen and of those that were not.
            const some = leases.filter((_, index) => index % 3 === count % 3);
            count++;
            expect((await bundle.backend.tasks.renew(some, 60_000)).lost).toEqual([]);
          });
          expect(pages.flat()).toEqual(backwards ? ids.toReversed() : ids);
        })(),
    );

    it.each(states)(
      'go on where all %s tasks before the place have left, and end where none is left',
      (state) =>
        setup(async (bundle) => {
          const leases = await bringMany(bundle, state, named('task', 9));
          const inOrder = await bundle.list(state);
          const first = await read(bundle, state, { limit: 3 });
          await leave(bundle, state, first.ids, leases);
          const second = await read(bundle, state, { limit: 3, after: first.next });
          expect(second.ids).toEqual(inOrder.slice(3, 6));
          // The same place, asked for again.
          expect(await read(bundle, state, { limit: 3, after: first.next })).toEqual(second);
          await leave(bundle, state, inOrder.slice(3), leases);
          expect(await read(bundle, state, { limit: 3, after: first.next })).toEqual({
            ids: [],
            next: undefined,
          });
          expect(await read(bundle, state, { limit: 3, after: second.next })).toEqual({
            ids: [],
            next: undefined,
          });
        })(),
    );

    it(
      'give an end where there is room left, and of an empty or unknown queue',
      setup(async (bundle) => {
        await bringMany(bundle, 'waiting', ['a', 'b']);
        expect(await read(bundle, 'waiting', { limit: 3 })).toEqual({ ids: ['a', 'b'], next: undefined });
        expect(await read(bundle, 'dead', { limit: 3 })).toEqual({ ids: [], next: undefined });
        const { backend, queueNamed } = bundle;
        const unknown = await backend.catalog.list(queueNamed('unknown'), 'waiting', { limit: 3 });
        expect(unknown).toEqual({ tasks: [], next: undefined });
      }),
    );

    it(
      'give waiting tasks by priority, due time and arrival, whichever way and however short',
      setup(async (bundle) => {
        const at = await bundle.now();
        const tasks = [3, -1_000, 0, 1_000, -1, 0, 3].flatMap((priority, round) =>
          [0, -5_000, 0, -70_000].map((due, index) => ({
            id: `${priority} ${due} ${round}.${index}`,
            priority,
            due: { at: at - 1_000 + due },
          })),
        );
        await bundle.add(...tasks);
        // Stable: those of the same place stay in the order of arrival.
        const ids = tasks
          .toSorted((a, b) => a.priority - b.priority || a.due.at - b.due.at)
          .map(({ id }) => id);
        for (const limit of [1, 3, 5]) {
          expect((await pagesOf(bundle, 'waiting', { limit })).flat()).toEqual(ids);
          const back = await pagesOf(bundle, 'waiting', { limit, backwards: true });
          expect(back.flat()).toEqual(ids.toReversed());
        }
      }),
    );

    it(
      'backwards begin with what ended last',
      setup(async (bundle) => {
        for (const id of ['first', 'second', 'third']) {
          await bundle.settle(await bundle.start({ id }), endingIn('dead', 60_000));
          await bundle.advance(1_000);
        }
        expect(await bundle.list('dead', { limit: 2, backwards: true })).toEqual(['third', 'second']);
      }),
    );

    it.each(states)('of %s tasks refuse a place that no page gave', (state) =>
      setup(async (bundle) => {
        const { backend, queue } = bundle;
        await bringMany(bundle, state, ['a', 'b', 'c']);
        for (const after of ['', 'a', 'nonsense', "' OR true --", '{}', 'NaN'])
          for (const backwards of [false, true])
            await expect(backend.catalog.list(queue, state, { limit: 2, after, backwards })).rejects.toThrow(
              InvalidOptionError,
            );
      })(),
    );
  });
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);

interface Page {
  readonly limit: number;
  readonly after?: string;
  readonly backwards?: boolean;
}

async function read({ backend, queue }: Bundle, state: TaskState, page: Page) {
  const { tasks, next } = await backend.catalog.list(queue, state, page);
  expect(tasks.length).toBeLessThanOrEqual(page.limit);
  return { ids: tasks.map(({ id }) => id), next };
}

/** Page after page to the end; `between` is called with all that was seen, before each next one. */
async function pagesOf(
  bundle: Bundle,
  state: TaskState,
  page: Page,
  between: (seen: string[]) => Promise<void> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { ids, next } = await read(bundle, state, { ...page, after });
    pages.push(ids);
    if (pages.length > 100) throw new Error(`${state}: the pages do not end`);
    if (next !== undefined) await between(pages.flat());
    after = next;
  } while (after !== undefined);
  return pages;
}

/** New tasks of these ids, all at one place of the state's order, but for a few that are kept for good; no other may be claimable. */
async function bringMany(bundle: Bundle, state: TaskState, ids: readonly string[]) {
  const { backend, task, claim, now } = bundle;
  const due = state === 'scheduled' ? { at: Math.ceil(((await now()) + 600_000) / 1e6) * 1e6 } : { inMs: 0 };
  await backend.tasks.add([ids.map((id) => task({ id, due }))]);
  if (state === 'scheduled' || state === 'waiting') return new Map<string, never>();
  const { tasks } = await claim();
  const leases = new Map(tasks.map((claimed) => [claimed.id, leaseOf(claimed)]));
  if (state === 'pending') return leases;
  const settlements = [...leases.values()].map((lease, index) => ({
    ...lease,
    outcome: endingIn(state, index % 4 === 3 ? Infinity : 600_000),
  }));
  const settled = await backend.tasks.settle(settlements);
  expect(new Set(settled)).toEqual(new Set(['settled']));
  return leases;
}

async function leave(
  { backend, queue, settle }: Bundle,
  state: TaskState,
  ids: readonly string[],
  leases: Awaited<ReturnType<typeof bringMany>>,
): Promise<void> {
  if (state === 'pending')
    for (const id of ids)
      expect(await settle(leases.get(id)!, { type: 'succeeded', keepMs: 0 })).toBe('settled');
  else await backend.catalog.remove(ids.map((id) => ({ queue, id })));
}
