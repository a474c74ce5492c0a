import type { TaskRef } from '../task/task-record.js';

/** Longer than the answer to a claim takes. */
const rememberedMs = 5_000;
const mostRemembered = 1_000;

/** Cancellations of tasks that this runner does not have: the answer that brings one may still be on its way. */
export class EarlyRings {
  private readonly rungAt = new Map<string, number>();

  add(ref: TaskRef, now: number): void {
    const name = nameOf(ref);
    this.rungAt.delete(name);
    this.rungAt.set(name, now);
    for (const [oldest, at] of this.rungAt)
      if (at + rememberedMs < now || this.rungAt.size > mostRemembered) this.rungAt.delete(oldest);
      else break;
  }

  /** Whether there was one of late; it is then forgotten. */
  take(ref: TaskRef, now: number): boolean {
    if (this.rungAt.size === 0) return false;
    const name = nameOf(ref);
    const at = this.rungAt.get(name);
    this.rungAt.delete(name);
    return at !== undefined && now <= at + rememberedMs;
  }
}

function nameOf({ queue, id }: TaskRef): string {
  return `${id}\n${queue}`;
}
