/** However many pages look, the store is asked no more often. */
const freshMs = 1_000;
/** Looking takes at most this part of the time. */
const share = 10;
const longestMs = 15_000;

/** What it takes a look at the store to know: made at most once at a time and once a second, whoever asks for it. */
export class SharedLook<T> {
  private underWay: { readonly at: number; readonly seen: Promise<T> } | undefined;
  private known: { readonly at: number; readonly until: number; readonly seen: T } | undefined;
  private outdatedAt = -Infinity;

  constructor(private readonly look: () => Promise<T>) {}

  async get(): Promise<T> {
    const { known } = this;
    const isFresh = known && known.at >= this.outdatedAt && performance.now() < known.until;
    return isFresh ? known.seen : this.fresh();
  }

  /** As it is now, or will be when the look that is under way is there. */
  fresh(): Promise<T> {
    if (this.underWay && this.underWay.at >= this.outdatedAt) return this.underWay.seen;
    const at = performance.now();
    const made = { at, seen: this.make(at) };
    const isOver = () => {
      if (this.underWay === made) this.underWay = undefined;
    };
    made.seen.then(isOver, isOver);
    this.underWay = made;
    return made.seen;
  }

  /** Something was done: what was looked at before does not show it. */
  outdate(): void {
    this.outdatedAt = performance.now();
  }

  private async make(at: number): Promise<T> {
    const seen = await this.look();
    const now = performance.now();
    this.known = { at, seen, until: Math.max(at + freshMs, now + Math.min((now - at) * share, longestMs)) };
    return seen;
  }
}
