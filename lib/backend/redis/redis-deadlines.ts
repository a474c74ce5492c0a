/** A call that waits for its answer. */
interface Waiting {
  readonly until: number;
  readonly giveUp: () => void;
  isOver: boolean;
}

/**
 * Ends the waiting for answers that do not come. All calls have the same time, so they run out in the order in which they
 * were made, and one timer serves them all: one for each would cost more than a short call.
 */
export class RedisDeadlines {
  private waiting: Waiting[] = [];
  /** How many at the front of them have been answered. */
  private answered = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deadlineMs: number) {}

  /** Settles as `answer` does, its error told by `failed`; after the deadline it rejects with what `late` makes. */
  within<T>(answer: Promise<T>, late: () => Error, failed: (cause: unknown) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const call: Waiting = {
        until: performance.now() + this.deadlineMs,
        giveUp: () => reject(late()),
        isOver: false,
      };
      this.forgetAnswered();
      this.waiting.push(call);
      this.timer ??= setTimeout(() => this.look(), this.deadlineMs);
      answer.then(
        (value) => {
          call.isOver = true;
          resolve(value);
        },
        (cause: unknown) => {
          call.isOver = true;
          reject(failed(cause));
        },
      );
    });
  }

  /** Nobody waits any more. */
  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const call of this.waiting) if (!call.isOver) call.giveUp();
    this.waiting = [];
  }

  /** Answers mostly come in the order of their calls: those at the front need not be kept until the next look. */
  private forgetAnswered(): void {
    while (this.answered < this.waiting.length && this.waiting[this.answered]!.isOver) this.answered++;
    if (this.answered < this.waiting.length && this.answered < 1_000) return;
    this.waiting = this.waiting.slice(this.answered);
    this.answered = 0;
  }

  private look(): void {
    const now = performance.now();
    for (const call of this.waiting) if (!call.isOver && call.until <= now) call.giveUp();
    this.waiting = this.waiting.filter((call) => !call.isOver && call.until > now);
    this.answered = 0;
    const [first] = this.waiting;
    this.timer = first && setTimeout(() => this.look(), first.until - now);
  }
}
