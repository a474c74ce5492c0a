/** Lets so many at a time go on; the others wait for their turn, for as long as it takes. */
export class Turns {
  private readonly waiting = new Set<() => void>();

  constructor(private free: number) {}

  /** Whoever waits when `lost` aborts is turned away with its reason. */
  async take<R>(work: () => Promise<R>, lost?: AbortSignal): Promise<R> {
    lost?.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(lost);
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.free++;
    }
  }

  private turn(lost: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(come);
        reject(lost!.reason as Error);
      };
      const come = () => {
        this.waiting.delete(come);
        lost?.removeEventListener('abort', leave);
        resolve();
      };
      this.waiting.add(come);
      lost?.addEventListener('abort', leave, { once: true });
    });
  }
}
