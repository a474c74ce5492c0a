import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidCursorError } from '../../lib/catalog/errors.js';
import { usualBounds, walkAll, walkPage, type Shelf, type WalkPage } from '../../lib/catalog/queue-walk.js';
import { ScanBudget } from '../../lib/catalog/scan-budget.js';

type Lines = Record<string, Record<string, number[]>>;

/** Numbers in lines, ascending; a place is behind a number, whether that is there or not. */
function shelfOf(lines: Lines, wants?: (n: number) => boolean) {
  const reads: { queue: string; key: string; limit: number; rows: number }[] = [];
  const shelf: Shelf<number, string> = {
    call: 'numbers',
    question: 'all',
    keys: ['a', 'b'],
    queues: async () => Object.keys(lines),
    among: async (queues, key) => queues.filter((queue) => (lines[queue]?.[key]?.length ?? 0) > 0),
    page: async (queue, key, { limit, after }) => {
      const line = lines[queue]?.[key] ?? [];
      const from = after === undefined ? 0 : line.findIndex((n) => n > Number(after));
      const items = from < 0 ? [] : line.slice(from, from + limit);
      reads.push({ queue, key, limit, rows: items.length });
      return from >= 0 && from + limit < line.length ? { items, next: String(items.at(-1)) } : { items };
    },
    sizeOf: () => 8,
    compare: () => (one, other) => one - other,
    wants,
  };
  return { shelf, reads };
}

async function pagesOf(shelf: Shelf<number, string>, limit: number): Promise<WalkPage<number>[]> {
  const pages: WalkPage<number>[] = [];
  for (let after: string | undefined; pages.length < 1_000;) {
    const page = await walkPage(shelf, { limit, after }, unhurried());
    pages.push(page);
    if (page.next === undefined) return pages;
    after = page.next;
  }
  throw new Error('it does not end');
}

/** The usual number of rows, however slow the machine is. */
const unhurried = () => new ScanBudget({ ...usualBounds, ms: 60_000 });

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step);

describe('A walk through queues', () => {
  it('goes through the keys one after the other, and merges the queues of each', async () => {
    const { shelf } = shelfOf({ x: { a: [1, 4, 9], b: [3] }, y: { a: [2, 3, 10] }, z: { b: [1] } });
    const pages = await pagesOf(shelf, 4);
    expect(pages.map(({ items }) => items)).toEqual([
      [1, 2, 3, 4],
      [9, 10, 1, 3],
    ]);
    expect(pages.every(({ complete }) => complete)).toBe(true);
  });

  it('gives short pages of what is large, each as full as it may be, and reads no more than it may', async () => {
    const { shelf } = shelfOf({ x: { a: range(0, 20, 2) }, y: { a: range(1, 20, 2) } });
    const large = { ...shelf, sizeOf: () => 3_000_000 };
    const pages = await pagesOf(large, 100);
    expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
    expect(pages.flatMap(({ items }) => items)).toEqual(range(0, 20));
    expect(pages.every(({ complete }) => complete)).toBe(true);
    const bounds = { rows: 10_000, ms: 60_000, bytes: 10_000_000 };
    const some: number[] = [];
    for await (const { items } of walkAll(large, new ScanBudget(bounds), { limit: 2 })) some.push(...items);
    expect(some.length).toBeLessThan(8);
  });

  it('holds no more bytes for being found under several keys and in many queues', async () => {
    const lines = Object.fromEntries(range(100, 160).map((n) => [`q${n}`, { a: [n], b: [n] }]));
    const { shelf } = shelfOf(lines);
    const pages = await pagesOf({ ...shelf, sizeOf: () => 150_000 }, 1_000);
    // 8 MB are reached with the 54th.
    expect(pages.map(({ items }) => items.length)).toEqual([54, 54, 12]);
    expect(pages.flatMap(({ items }) => items)).toEqual([...range(100, 160), ...range(100, 160)]);
  });

  it('looks at each queue about once for something in it, however many there are', async () => {
    const numbers = range(10_000, 13_000);
    const { shelf } = shelfOf(Object.fromEntries(numbers.map((n) => [`q${n}`, { a: [n] }])));
    let looks = 0;
    const among: typeof shelf.among = (queues, key) => {
      looks += queues.length;
      return shelf.among(queues, key);
    };
    const { items } = await walkPage({ ...shelf, among }, { limit: 1_000 }, unhurried());
    expect(items).toEqual(numbers.slice(0, 1_000));
    expect(looks).toBeLessThanOrEqual(1_500);
    looks = 0;
    const rare = {
      ...shelf,
      among: async (queues: readonly string[]) => (
        (looks += queues.length),
        queues.filter((queue) => queue.endsWith('999'))
      ),
    };
    expect((await walkPage({ ...rare, keys: ['a'] }, { limit: 1_000 }, unhurried())).items).toEqual([
      10_999, 11_999, 12_999,
    ]);
    expect(looks).toBe(3_000);
  });

  it('reads a page of one queue in one step, and no row too many', async () => {
    const { shelf, reads } = shelfOf({ x: { a: range(0, 1_000) } });
    const { items } = await walkPage(shelf, { limit: 100 });
    expect(items).toEqual(range(0, 100));
    expect(reads).toEqual([{ queue: 'x', key: 'a', limit: 100, rows: 100 }]);
  });

  it('gives each thing on exactly one page, whatever the sizes', async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 60 });
    const lines = fc.dictionary(fc.constantFrom(...'pqrstu'), fc.record({ a: numbers, b: numbers }));
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 30 }), fc.boolean(), async (given, limit, isOdd) => {
        for (const line of Object.values(given))
          for (const key of ['a', 'b'] as const) line[key].sort((m, n) => m - n);
        const wants = (n: number) => n % 2 === 1;
        const pages = await pagesOf(shelfOf(given, isOdd ? wants : undefined).shelf, limit);
        const all = (['a', 'b'] as const).flatMap((key) =>
          Object.values(given)
            .flatMap((line) => line[key])
            .filter((n) => !isOdd || wants(n))
            .sort((m, n) => m - n),
        );
        expect(pages.flatMap(({ items }) => items)).toEqual(all);
        expect(pages.every(({ items }) => items.length <= limit)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('leaves nothing out that is there all the while, and gives nothing twice, while others come and go', async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 50 });
    const change = fc.record({ queue: fc.constantFrom('p', 'q'), n: fc.integer({ min: 0, max: 200 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ p: numbers, q: numbers }),
        fc.array(change, { maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        async (given, changes, limit, isSearch) => {
          const lines: Lines = {
            p: { a: given.p.toSorted((m, n) => m - n) },
            q: { a: given.q.toSorted((m, n) => m - n) },
          };
          const touched = new Set(changes.map(({ queue, n }) => `${queue}${n}`));
          const wants = (n: number) => n % 3 !== 0;
          const { shelf } = shelfOf(lines, isSearch ? wants : undefined);
          const named: Shelf<string, string> = {
            ...shelf,
            page: async (queue, key, request) => {
              const { items, next } = await shelf.page(queue, key, request);
              const one = changes.shift();
              if (one) toggle(lines[one.queue]!.a!, one.n);
              return { items: items.map((n) => `${queue}${n}`), next };
            },
            sizeOf: () => 8,
            compare: () => (one, other) => Number(one.slice(1)) - Number(other.slice(1)),
            wants: isSearch ? (name) => wants(Number(name.slice(1))) : undefined,
          };
          const given1 = Object.entries(given).flatMap(([queue, all]) => all.map((n) => `${queue}${n}`));
          const pages = await pagesOf(named as unknown as Shelf<number, string>, limit);
          const seen = pages.flatMap(({ items }) => items as unknown as string[]);
          const steady = given1.filter((name) => !touched.has(name) && (named.wants?.(name) ?? true));
          expect(steady.filter((name) => seen.filter((one) => one === name).length !== 1)).toEqual([]);
          expect(pages.every(({ items }) => items.length <= limit)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('searches a bounded number of rows per call, and goes on where it stopped', async () => {
    const { shelf, reads } = shelfOf({ x: { a: range(0, 49_900) } }, (n) => n === 49_899);
    const first = await walkPage(shelf, { limit: 10 }, unhurried());
    expect(first).toMatchObject({ items: [], complete: false, next: expect.any(String) });
    expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBe(10_000);
    expect((await pagesOf(shelf, 10)).map(({ items, complete }) => [items.length, complete])).toEqual([
      [0, false],
      [0, false],
      [0, false],
      [0, false],
      [1, true],
    ]);
  });

  it('stops when its time is up, but never without having read', async () => {
    const { shelf, reads } = shelfOf({ x: { a: range(0, 1_000) } }, () => false);
    let now = 0;
    const page = await walkPage(
      shelf,
      { limit: 10 },
      new ScanBudget({ rows: 10_000, ms: 0 }, () => (now += 1)),
    );
    expect(page).toMatchObject({ items: [], complete: false });
    expect(reads).toHaveLength(1);
  });

  it('does not read much from each of many queues', async () => {
    const lines = Object.fromEntries(range(0, 200).map((n) => [`q${n}`, { a: range(n, 100_000, 200) }]));
    const { shelf, reads } = shelfOf(lines);
    const { items } = await walkPage(shelf, { limit: 100 });
    expect(items).toHaveLength(100);
    expect(reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(600);
    expect(new Set(reads.map(({ queue }) => queue)).size).toBeLessThanOrEqual(25);
  });

  it('goes through all in pieces', async () => {
    const { shelf } = shelfOf({ x: { a: range(0, 1_200), b: [7] } });
    const sizes: [number, boolean][] = [];
    const bounds = { rows: 1_000_000, ms: 60_000 };
    for await (const { items, complete } of walkAll(shelf, new ScanBudget(bounds)))
      sizes.push([items.length, complete]);
    expect(sizes).toEqual([
      [400, true],
      [400, true],
      [400, true],
      [1, true],
    ]);
  });

  it('refuses a cursor that leads into queues that were not asked for', async () => {
    const { shelf } = shelfOf({ x: { a: range(0, 10) }, y: { a: range(0, 10) } });
    const { next } = await walkPage(shelf, { limit: 5 });
    const only = { ...shelf, only: ['y'] };
    await expect(walkPage(only, { limit: 5, after: next })).rejects.toThrow(InvalidCursorError);
  });
});

function toggle(line: number[], n: number): void {
  const at = line.indexOf(n);
  if (at >= 0) line.splice(at, 1);
  else line.push(n);
  line.sort((one, other) => one - other);
}
