interface Waiting<T> {
  readonly item: T;
  done(): void;
  failed(error: unknown): void;
}

/**
 * Gathers what is added within one turn of the event loop, and while as many batches as may be are under way; stores it
 * together. Each call ends when its batch is stored.
 */
export class RawBatches<T> {
  private waiting: Waiting<T>[] = [];
  private underWay = 0;

  constructor(
    private readonly store: (items: T[]) => Promise<unknown>,
    private readonly mostUnderWay: number,
  ) {}

  add(item: T): Promise<void> {
    return new Promise((done, failed) => {
      if (this.waiting.push({ item, done, failed }) === 1) process.nextTick(() => void this.send());
    });
  }

  private async send(): Promise<void> {
    if (this.waiting.length === 0 || this.underWay === this.mostUnderWay) return;
    const batch = this.waiting;
    this.waiting = [];
    this.underWay++;
    try {
      await this.store(batch.map(({ item }) => item));
      for (const { done } of batch) done();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
    this.underWay--;
    // After those that were waiting for this batch have added again.
    setImmediate(() => void this.send());
  }
}

/**
 * The sizes of two batches that are under way by turns: while one is handled, the server has the other. A single task at once
 * leaves no room for a second.
 */
export function laneSizes(concurrency: number): number[] {
  const half = Math.floor(concurrency / 2);
  return half === 0 ? [1] : [concurrency - half, half];
}

/** Runs handlers as a library would that does nothing else: each in a promise of its own, all at once. */
export async function handleAll(
  texts: readonly string[],
  handle: (params: never) => void | Promise<void>,
): Promise<void> {
  await Promise.all(texts.map(async (text) => handle(JSON.parse(text) as never)));
}
