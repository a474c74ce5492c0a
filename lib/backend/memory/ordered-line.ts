/** As many members as a block of a line has at the most: few enough to move in no time. */
const blockSize = 128;

/**
 * Members in an order, any of which can be taken out, and which can be read from any place in either direction. All of it costs
 * O(log n): the members stand in an array of short sorted arrays. A heap, which a queue would do with, knows its first member
 * alone, so that each page of a list would sort them all. What the order depends on must not change while a member is in it.
 */
export class OrderedLine<Place, T extends Place> {
  /** None of them is empty. */
  private readonly blocks: T[][] = [];
  private count = 0;

  /** No two members are equal in this order. */
  constructor(private readonly isBefore: (a: Place, b: Place) => boolean) {}

  get size(): number {
    return this.count;
  }

  peek(): T | undefined {
    return this.blocks[0]?.[0];
  }

  add(member: T): void {
    this.count++;
    const { blocks, isBefore } = this;
    const last = blocks.at(-1);
    // Most come in their order.
    if (!last || isBefore(last.at(-1)!, member)) {
      if (!last || last.length >= blockSize) blocks.push([member]);
      else last.push(member);
      return;
    }
    const blockAt = Math.max(this.blockOf(member), 0);
    const block = blocks[blockAt]!;
    insert(block, this.countBefore(block, member), member);
    if (block.length > blockSize) blocks.splice(blockAt + 1, 0, block.splice(blockSize / 2));
  }

  remove(member: T): void {
    const { blocks } = this;
    const blockAt = blocks[0]?.[0] === member ? 0 : this.blockOf(member);
    const block = blocks[blockAt]!;
    if (block[0] === member) block.shift();
    else take(block, this.countBefore(block, member));
    if (block.length === 0 && blockAt === 0) blocks.shift();
    else if (block.length === 0) blocks.splice(blockAt, 1);
    this.count--;
  }

  /** How many members stand before a place. */
  countUntil(place: Place): number {
    const last = this.blockOf(place);
    if (last < 0) return 0;
    let count = this.countBefore(this.blocks[last]!, place);
    for (let at = 0; at < last; at++) count += this.blocks[at]!.length;
    return count;
  }

  /** The members behind a place, or from the beginning; backwards, those before it, or from the end. At most so many. */
  read(limit: number, { after, backwards = false }: { after?: Place; backwards?: boolean } = {}): T[] {
    const found: T[] = [];
    const step = backwards ? -1 : 1;
    let [blockAt, at] = this.start(after, backwards);
    for (let block = this.blocks[blockAt]; block && found.length < limit; block = this.blocks[blockAt]) {
      for (; found.length < limit && at >= 0 && at < block.length; at += step) found.push(block[at]!);
      blockAt += step;
      at = backwards ? (this.blocks[blockAt]?.length ?? 0) - 1 : 0;
    }
    return found;
  }

  /** The block and the index at which reading begins. */
  private start(after: Place | undefined, backwards: boolean): [blockAt: number, at: number] {
    const { blocks } = this;
    const end = (blocks.at(-1)?.length ?? 0) - 1;
    if (after === undefined) return backwards ? [blocks.length - 1, end] : [0, 0];
    const blockAt = this.blockOf(after);
    const block = blocks[blockAt];
    if (!block) return [backwards ? -1 : 0, 0];
    const before = this.countBefore(block, after);
    if (backwards) return [blockAt, before - 1];
    const isAtPlace = before < block.length && !this.isBefore(after, block[before]!);
    return [blockAt, isAtPlace ? before + 1 : before];
  }

  /** The last block that does not begin behind a place; -1 where all do. */
  private blockOf(place: Place): number {
    const { blocks, isBefore } = this;
    let [from, to] = [0, blocks.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(place, blocks[middle]![0]!)) to = middle;
      else from = middle + 1;
    }
    return from - 1;
  }

  private countBefore(block: readonly T[], place: Place): number {
    const { isBefore } = this;
    let [from, to] = [0, block.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(block[middle]!, place)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

// By hand, since a splice of so few costs more than the moves.
function insert<T>(block: T[], at: number, member: T): void {
  block.push(member);
  for (let index = block.length - 1; index > at; index--) block[index] = block[index - 1]!;
  block[at] = member;
}

function take(block: unknown[], at: number): void {
  for (let index = at + 1; index < block.length; index++) block[index - 1] = block[index];
  block.pop();
}
