/** Things in the store that stand in a line and are read in pages. */
export interface Line<T> {
  readonly queue: string;
  page(request: { limit: number; after?: string }): Promise<LinePage<T>>;
  /** About how much a thing takes, in bytes. */
  sizeOf(this: void, item: T): number;
}

export interface LinePage<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/**
 * Takes the things of a line one by one, and can then tell the place behind the last one taken. A page tells the place behind
 * its end alone: where less was taken, what was taken is read once more.
 */
export class LineReader<T> {
  /** Counts the pages read: which one a thing was taken from. */
  pages = 0;
  private page: readonly T[] = [];
  private used = 0;
  /** The places before and behind the page. */
  private from: string | undefined;
  private next: string | undefined;

  /** Empty text is the beginning of the line. */
  constructor(
    private readonly line: Line<T>,
    place: string,
  ) {
    this.next = place === '' ? undefined : place;
  }

  get queue(): string {
    return this.line.queue;
  }

  get isEnded(): boolean {
    return this.pages > 0 && this.next === undefined && this.used === this.page.length;
  }

  /** Whether the next thing must be asked for. */
  get isDry(): boolean {
    return this.used === this.page.length && !this.isEnded;
  }

  get head(): T | undefined {
    return this.page[this.used];
  }

  take(): T {
    return this.page[this.used++]!;
  }

  /** Reads on; answers how much that took. */
  async fill(limit: number): Promise<{ rows: number; bytes: number }> {
    const after = this.next;
    const { items, next } = await this.line.page({ limit, after });
    this.from = after;
    this.page = items;
    this.next = next;
    this.used = 0;
    this.pages++;
    return { rows: items.length, bytes: items.reduce((sum, item) => sum + this.line.sizeOf(item), 0) };
  }

  sizeOf(item: T): number {
    return this.line.sizeOf(item);
  }

  /**
   * The place behind what was taken, and what is wanted of the last page up to there: the line may have changed meanwhile, so
   * that these are others than those taken, but never more than `most`. No place: the line ends there.
   */
  async settle(wants: (item: T) => boolean, most: number): Promise<{ wanted: T[]; place?: string }> {
    if (this.used === this.page.length && this.pages > 0)
      return { wanted: this.page.filter(wants), place: this.next };
    for (let limit = this.used; limit > 0;) {
      const { items, next } = await this.line.page({ limit, after: this.from });
      const wanted = items.filter(wants);
      if (wanted.length <= most) return { wanted, place: next };
      limit = items.indexOf(wanted[most]!);
    }
    return { wanted: [], place: (this.pages > 0 ? this.from : this.next) ?? '' };
  }
}
