import { InvalidCursorError } from './errors.js';
import { cursorText, digestOf, isWalkPlace, readCursor, type WalkPlace } from './page-cursor.js';
import { LineReader, type LinePage } from './line-reader.js';
import { mergedPage } from './merged-page.js';
import { ScanBudget, type ScanBounds } from './scan-budget.js';
import { InvalidOptionError } from '../task/errors.js';

// Each of these is read from at once.
const queuesAtOnce = 25;
// So many are looked at for something in them, and then twice as many: not all that are left for each few that are read.
const firstLook = 500;
// Of all lines together, so that a walk through many of them stops as soon after its time as one through few.
const rowsOfScan = 400;
const rowsOfLine = { least: 20, most: 200 };
const mostItems = 1_000;
// What one answer may hold, whatever its limit is.
const mostBytes = 8_000_000;
// Two fills of a line, so that nothing is read twice where all of it is wanted.
const itemsPerPiece = 400;
export const usualBounds: ScanBounds = { rows: 10_000, ms: 1_000 };

/** Things that stand in lines: one per queue and key. Keys are gone through one after the other, queues side by side. */
export interface Shelf<T, K extends string> {
  /** The method that is called, for messages and cursors. */
  readonly call: string;
  /** What tells this question from others. */
  readonly question: unknown;
  readonly keys: readonly K[];
  /** The only queues that are asked for, sorted; absent: every known one. */
  readonly only?: readonly string[];
  /** All known queues, in any order. */
  queues(): Promise<readonly string[]>;
  /** Those of the queues that may have something under this key. */
  among(queues: readonly string[], key: K): Promise<readonly string[]>;
  page(queue: string, key: K, request: { limit: number; after?: string }): Promise<LinePage<T>>;
  compare(key: K): (one: T, other: T) => number;
  /** About how much a thing takes, in bytes. */
  sizeOf(this: void, item: T): number;
  /** Absent: everything is wanted. */
  readonly wants?: (item: T) => boolean;
}

export interface WalkRequest {
  /** With 0, only where it would begin is found out. */
  readonly limit: number;
  readonly after?: string;
}

export interface WalkPage<T> {
  readonly items: T[];
  readonly next?: string;
  /** False: the walk had to stop before the page was full. */
  readonly complete: boolean;
}

/** A page of what stands on a shelf; its cursor holds the places in all queues that are under way. */
export async function walkPage<T, K extends string>(
  shelf: Shelf<T, K>,
  { limit, after }: WalkRequest,
  budget = new ScanBudget(usualBounds),
): Promise<WalkPage<T>> {
  const digest = digestOf(shelf.question);
  const walk = new Walk(shelf, budget);
  const place = after === undefined ? start : readCursor(shelf.call, digest, after, isPlaceOn(shelf));
  const { items, rest, complete } = await walk.from(place, limit).catch((error: unknown) => {
    // The store knows its places: what is none was not given by it.
    const isPlace = error instanceof InvalidOptionError && error.option === 'after';
    throw isPlace ? new InvalidCursorError(shelf.call, after, 'that is no cursor', { cause: error }) : error;
  });
  return rest ? { items, next: cursorText(shelf.call, digest, rest), complete } : { items, complete };
}

/** All that stands on a shelf, in pieces of `limit`, as far as the budget reaches; the last piece says whether that was all. */
export async function* walkAll<T, K extends string>(
  shelf: Shelf<T, K>,
  budget: ScanBudget,
  { after, limit = itemsPerPiece }: Partial<WalkRequest> = {},
): AsyncGenerator<WalkPage<T>> {
  for (let from = after; ;) {
    const page = await walkPage(shelf, { limit, after: from }, budget);
    const isOver = page.next === undefined || !page.complete || budget.isSpent;
    yield isOver ? { ...page, complete: page.next === undefined } : page;
    if (isOver) return;
    from = page.next;
  }
}

/** How much a caller wants. */
export function readLimit(call: string, limit: unknown = 100, most = mostItems): number {
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > most)
    throw new InvalidOptionError(call, 'limit', limit, `an integer from 1 to ${most}`);
  return limit as number;
}

function isPlaceOn({ keys, only }: { keys: readonly string[]; only?: readonly string[] }) {
  return (place: unknown): place is WalkPlace =>
    isWalkPlace(place) &&
    place.key < keys.length &&
    place.open.every(([queue]) => only?.includes(queue) ?? true);
}

const start: WalkPlace = { key: 0, upTo: '', open: [] };

class Walk<T, K extends string> {
  private queues: readonly string[] | undefined;
  /** How far the queues were looked at for something under a key, and what was found behind `upTo`. */
  private ahead: { key: number; upTo: string; lookedAt: number; found: string[] } | undefined;

  constructor(
    private readonly shelf: Shelf<T, K>,
    private readonly budget: ScanBudget,
  ) {}

  async from(place: WalkPlace, limit: number): Promise<{ items: T[]; rest?: WalkPlace; complete: boolean }> {
    const items: T[] = [];
    let room = mostBytes;
    for (let at: WalkPlace | undefined = place; at;) {
      if (at.open.length > 0) {
        const read = await this.read(at, limit - items.length, room);
        items.push(...read.items);
        room -= read.bytes;
        at = { ...at, open: read.open };
        const isFull = items.length >= limit || room <= 0;
        if (read.open.length > 0 || isFull || this.budget.isSpent) {
          const rest: WalkPlace | undefined = read.open.length > 0 ? at : await this.after(at);
          return { items, rest, complete: isFull || !rest };
        }
      }
      at = await this.after(at);
      if (at && at.open.length === 0 && this.budget.isSpent) return { items, rest: at, complete: false };
    }
    return { items, complete: true };
  }

  private async read({ key, open }: WalkPlace, limit: number, room: number) {
    const { shelf, budget } = this;
    const name = shelf.keys[key]!;
    const readers = open.map(
      ([queue, place]) =>
        new LineReader(
          { queue, page: (request) => shelf.page(queue, name, request), sizeOf: shelf.sizeOf },
          place,
        ),
    );
    const rows = shelf.wants ? rowsOfSearch(open.length) : rowsOfEach(limit, open.length);
    const wants = shelf.wants ?? (() => true);
    return mergedPage(readers, { limit, rows, wants, compare: shelf.compare(name), budget, room });
  }

  /** The next queues that hold something under this key, or the first ones under the next. */
  private async after({ key, upTo }: WalkPlace): Promise<WalkPlace | undefined> {
    const group = await this.filledAfter(key, upTo);
    if (group.length === 0)
      return key + 1 < this.shelf.keys.length ? { key: key + 1, upTo: '', open: [] } : undefined;
    return { key, upTo: group.at(-1)!, open: group.map((queue): [string, string] => [queue, '']) };
  }

  /** Empty ones take no place among those that are read side by side: few that hold something stand in one order. */
  private async filledAfter(key: number, upTo: string): Promise<readonly string[]> {
    const queues = (this.queues ??= this.shelf.only ?? [...(await this.shelf.queues())].sort());
    if (this.ahead?.key !== key || this.ahead.upTo !== upTo) {
      const first = queues.findIndex((queue) => queue > upTo);
      this.ahead = { key, upTo, lookedAt: first < 0 ? queues.length : first, found: [] };
    }
    const { ahead } = this;
    for (
      let look = firstLook;
      ahead.found.length < queuesAtOnce && ahead.lookedAt < queues.length;
      look *= 2
    ) {
      const next = queues.slice(ahead.lookedAt, ahead.lookedAt + look);
      ahead.found.push(...(await this.shelf.among(next, this.shelf.keys[key]!)));
      ahead.lookedAt += look;
    }
    const group = ahead.found.splice(0, queuesAtOnce);
    ahead.upTo = group.at(-1) ?? upTo;
    return group;
  }
}

function rowsOfSearch(lines: number): number {
  return Math.min(rowsOfLine.most, Math.max(Math.ceil(rowsOfScan / lines), rowsOfLine.least));
}

/** From one line as much as is wanted; from many, of which most give little, not that much from each. */
function rowsOfEach(limit: number, lines: number): number {
  return lines === 1 ? limit : Math.min(limit, Math.max(Math.ceil((2 * limit) / lines), 10));
}
