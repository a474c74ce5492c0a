import type { LineReader } from './line-reader.js';
import type { ScanBudget } from './scan-budget.js';

export interface MergedRequest<T> {
  readonly limit: number;
  /** How much of each line is read at once. */
  readonly rows: number;
  readonly wants: (item: T) => boolean;
  /** Which of the heads of two lines comes first. */
  readonly compare: (one: T, other: T) => number;
  readonly budget: ScanBudget;
  /** How many bytes still fit. */
  readonly room: number;
}

export interface MergedPage<T> {
  readonly items: T[];
  /** How much of the room was taken. */
  readonly bytes: number;
  /** The lines that have not ended, each with its place. */
  readonly open: [queue: string, place: string][];
}

interface Taken<T> {
  readonly reader: LineReader<T>;
  readonly page: number;
  readonly item: T;
}

/** The next things of several lines, each in its own order, until there are enough, or no room or nothing is left, or the budget is spent. */
export async function mergedPage<T>(
  readers: readonly LineReader<T>[],
  { limit, rows, wants, compare, budget, room }: MergedRequest<T>,
): Promise<MergedPage<T>> {
  const taken: Taken<T>[] = [];
  let bytes = 0;
  while (taken.length < limit && bytes < room) {
    const dry = readers.filter(({ isDry }) => isDry);
    if (dry.length > 0) {
      if (budget.isSpent) break;
      for (const read of await Promise.all(dry.map((reader) => reader.fill(rows)))) budget.spend(read);
      continue;
    }
    const reader = firstOf(readers, compare);
    if (!reader) break;
    const item = reader.take();
    if (!wants(item)) continue;
    taken.push({ reader, page: reader.pages, item });
    bytes += reader.sizeOf(item);
  }
  return { ...(await settled(readers, taken, wants)), bytes };
}

function firstOf<T>(readers: readonly LineReader<T>[], compare: MergedRequest<T>['compare']) {
  let first: LineReader<T> | undefined;
  for (const reader of readers) {
    if (reader.head === undefined) continue;
    if (!first || compare(reader.head, first.head!) < 0) first = reader;
  }
  return first;
}

/** What was taken, with the places behind it; a line that has changed meanwhile has the last word. */
async function settled<T>(
  readers: readonly LineReader<T>[],
  taken: readonly Taken<T>[],
  wants: (item: T) => boolean,
): Promise<Omit<MergedPage<T>, 'bytes'>> {
  const open: [queue: string, place: string][] = [];
  const latest = new Map<LineReader<T>, T[]>();
  await Promise.all(
    readers.map(async (reader) => {
      if (reader.isEnded) return;
      const most = taken.filter((one) => one.reader === reader && one.page === reader.pages).length;
      const { wanted, place } = await reader.settle(wants, most);
      latest.set(reader, wanted);
      if (place !== undefined) open.push([reader.queue, place]);
    }),
  );
  const items = taken.map(({ reader, page, item }) => {
    const wanted = page === reader.pages ? latest.get(reader) : undefined;
    return wanted ? wanted.shift() : item;
  });
  return {
    items: items.filter((item) => item !== undefined),
    open: open.sort(([one], [other]) => (one < other ? -1 : 1)),
  };
}
