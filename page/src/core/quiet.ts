/** How long nothing is asked after a first refusal; each further one doubles it. */
const firstMs = 5_000;
/** Longer ones, also of the server's own wish, would look as if nothing happened any more. */
const longestMs = 60_000;

/** How long a server that is overloaded is left alone. */
export class Quiet {
  private untilMs = 0;
  private nextMs = firstMs;

  constructor(private readonly now: () => number = () => Date.now()) {}

  get isOn(): boolean {
    return this.now() < this.untilMs;
  }

  refused(retryAfterMs = this.nextMs): void {
    // What was under way when the first was refused is refused as well, and says nothing new.
    if (this.isOn) return;
    this.untilMs = this.now() + Math.min(retryAfterMs, longestMs);
    this.nextMs = Math.min(this.nextMs * 2, longestMs);
  }

  answered(): void {
    // What was under way meanwhile may be answered, and says nothing about what was refused.
    if (!this.isOn) this.nextMs = firstMs;
  }
}
