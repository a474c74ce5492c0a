import type { Lease } from '../../task/outcome.js';

/** Runs are short where they take less on average: a task is hardly passed over by another claim before it is gone. */
const shortMs = 20;
/** What is taken for the length of a run that began too long ago to be remembered. */
const longMs = 1_000;
const mostRemembered = 1_000;

/** How long the runs of this process have taken lately, by queue, from the claim to the success. */
export class RunLengths {
  /** When the claim of each epoch was answered. */
  private readonly beganAt = new Map<number, number>();
  private readonly meansMs = new Map<string, number>();

  claimed(epoch: number): void {
    this.beganAt.set(epoch, performance.now());
    if (this.beganAt.size > mostRemembered) this.beganAt.delete(this.beganAt.keys().next().value!);
  }

  /** Those of one moment, which count together, whatever their number. */
  done(runs: readonly Lease[]): void {
    const now = performance.now();
    const sums = new Map<string, { ms: number; runs: number }>();
    for (const { queue, epoch } of runs) {
      const sum = sums.get(queue) ?? { ms: 0, runs: 0 };
      sum.ms += Math.min(now - (this.beganAt.get(epoch) ?? -Infinity), longMs);
      sum.runs++;
      sums.set(queue, sum);
    }
    for (const [queue, { ms, runs }] of sums) {
      const before = this.meansMs.get(queue) ?? ms / runs;
      this.meansMs.set(queue, before + (ms / runs - before) / 8);
    }
  }

  areShort(queue: string): boolean {
    return (this.meansMs.get(queue) ?? Infinity) < shortMs;
  }
}
