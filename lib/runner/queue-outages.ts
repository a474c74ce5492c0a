import type { Unanswered } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import { StoreOutage } from './store-outage.js';

/** Queues whose part of the store gives no answer: each is left alone for growing pauses, while the others go on. */
export class QueueOutages {
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

  isSilent(queue: string): boolean {
    return this.outages.has(queue);
  }

  get areAny(): boolean {
    return this.outages.size > 0;
  }

  answered(queue: string): void {
    this.outages.delete(queue);
  }

  failed(unanswered: readonly (Pick<Unanswered, 'queue'> & Partial<Unanswered>)[]): void {
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
