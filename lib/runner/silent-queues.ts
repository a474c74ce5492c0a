import type { Unanswered } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import { StoreOutage } from './store-outage.js';

/** Queues whose part of the store gives no answer: each is left alone for growing pauses, while the others go on. */
export class SilentQueues {
  /** Queues whose answer to a claim was lost: the store may hold tasks in our name that we do not know of. */
  readonly unheard = new Set<string>();
  private readonly outages = new Map<string, StoreOutage>();

  constructor(
    private readonly clock: Clock,
    private readonly report: (message: string, reason?: Error) => void,
  ) {}

  /** When a queue is to be asked again; long past for one that answers. */
  readonly pausedUntil = (queue: string): number => this.outages.get(queue)?.pausedUntil ?? -Infinity;

  /** Tells whether a queue is to be left alone at that time; undefined where none is. */
  pausedAt(now: number): ((queue: string) => boolean) | undefined {
    return this.outages.size > 0 ? (queue) => this.pausedUntil(queue) > now : undefined;
  }

  /** A claim of these queues was answered, but for those that gave none. */
  claimed(
    asked: readonly { readonly queue: string }[],
    /** Only then was given back what an earlier answer, lost on its way, had brought. */
    saidWhatIsHeld: boolean,
    unanswered: readonly Unanswered[] = [],
  ): void {
    const reasons = new Map(unanswered.map(({ queue, reason }) => [queue, reason as { sent?: boolean }]));
    for (const { queue } of asked) {
      const reason = reasons.get(queue);
      // What never left cannot have been answered.
      if (reason && reason.sent !== false) this.unheard.add(queue);
      if (!reason && saidWhatIsHeld) this.unheard.delete(queue);
      if (!reason) this.outages.delete(queue);
    }
    if (unanswered.length > 0) this.failed(unanswered);
  }

  failed(unanswered: readonly { readonly queue: string; readonly reason?: Error }[]): void {
    const begun = unanswered.filter(({ queue }) => this.hasJustBegun(queue));
    if (begun.length === 0) return;
    const names = begun.map(({ queue }) => queue).join(', ');
    this.report(`the job store does not answer for ${names}, trying again`, begun[0]!.reason);
  }

  private hasJustBegun(queue: string): boolean {
    let outage = this.outages.get(queue);
    if (!outage) this.outages.set(queue, (outage = new StoreOutage(this.clock)));
    // What was asked in one moment fails in one moment, and is one failure.
    return !outage.isPausing && outage.failed();
  }
}
