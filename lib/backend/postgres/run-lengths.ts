/** Runs are short where they take less on average: a task is hardly passed over by another claim before it is gone. */
const shortMs = 20;
/** What is taken for the length of a run that began too long ago to be remembered. */
const longMs = 1_000;
const mostRemembered = 1_000;

/** How long the runs of this process have taken lately, from the claim to the success. */
export class RunLengths {
  /** When the claim of each epoch was answered. */
  private readonly beganAt = new Map<number, number>();
  private meanMs = Infinity;

  claimed(epoch: number): void {
    this.beganAt.set(epoch, performance.now());
    if (this.beganAt.size > mostRemembered) this.beganAt.delete(this.beganAt.keys().next().value!);
  }

  done(runs: readonly { readonly epoch: number }[]): void {
    const now = performance.now();
    let sum = 0;
    for (const { epoch } of runs) sum += Math.min(now - (this.beganAt.get(epoch) ?? -Infinity), longMs);
    const meanMs = sum / runs.length;
    // A batch counts for an eighth, whatever its size.
    this.meanMs = this.meanMs === Infinity ? meanMs : this.meanMs + (meanMs - this.meanMs) / 8;
  }

  get areShort(): boolean {
    return this.meanMs < shortMs;
  }
}
