const everyMs = 1_000;

/** One clock for all that shows a time, ticking while somebody looks. */
export class Ticker {
  private readonly listeners = new Set<(now: number) => void>();
  private timer: number | undefined;

  ticked(listener: (now: number) => void): () => void {
    this.listeners.add(listener);
    this.timer ??= setInterval(() => this.tick(), everyMs);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private tick(): void {
    if (document.visibilityState !== 'visible') return;
    const now = Date.now();
    for (const listener of this.listeners) listener(now);
  }
}
