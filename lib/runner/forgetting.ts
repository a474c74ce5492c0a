import type { Backend } from '../backend/backend.js';
import type { Declaring } from './declaring.js';

/** A schedule from code that no process has declared for so long is forgotten. */
const forgetAfterMs = 7 * 86_400_000;
/** How often to look for such, and how long after a start at the least: there is enough to do then. */
const lookEveryMs = 86_400_000;
const firstLookMs = 600_000;
const pageSize = 1_000;

/**
 * Takes away schedules that no code declares any more. Those of its own code it never touches, so that a machine which slept
 * for weeks finds its own again.
 */
export class Forgetting {
  private nextAt: number | undefined;

  constructor(
    private readonly backend: Pick<Backend, 'schedules'>,
    private readonly declaring: Declaring,
    private readonly queues: readonly string[],
  ) {}

  /** Does what is due at `now`, of a clock that never runs back. A queue that gives no answer has its turn another day. */
  async look(now: number): Promise<void> {
    // Processes that were started together must not look together.
    this.nextAt ??= now + firstLookMs * (1 + 2 * Math.random());
    if (now < this.nextAt) return;
    this.nextAt = now + lookEveryMs;
    for (const queue of this.queues) await this.lookThrough(queue).catch(() => undefined);
  }

  private async lookThrough(queue: string): Promise<void> {
    const { schedules } = this.backend;
    const now = await schedules.now(queue);
    let after: string | undefined;
    do {
      const page = await schedules.list(queue, { limit: pageSize, after });
      after = page.next;
      const stale = page.schedules.filter(
        (one) =>
          one.declaredAt !== undefined &&
          one.declaredAt + forgetAfterMs <= now &&
          !this.declaring.declares(one),
      );
      for (const one of stale) await schedules.remove(one, one.declaredAt);
    } while (after !== undefined);
  }
}
