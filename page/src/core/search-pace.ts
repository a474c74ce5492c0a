/** So long one search goes on by itself, then the reader is asked. */
const patienceMs = 5_000;
/** Looking again takes at most this part of the time. */
const share = 10;

/** How long a search has gone on, and whether it is time to make it again. */
export class SearchPace {
  private beganAt = 0;
  private endedAt = 0;

  begin(): void {
    this.beganAt = performance.now();
  }

  end(): void {
    this.endedAt = performance.now();
  }

  get isTired(): boolean {
    return performance.now() - this.beganAt > patienceMs;
  }

  /** A search that takes long is not made again at every change. */
  get isRested(): boolean {
    return performance.now() - this.endedAt >= (this.endedAt - this.beganAt) * share;
  }
}
