import type { HistoryEvent } from '../history/history-event.js';
import type { World } from './world.js';

/** An event without its time, which is the world's. */
export type Happening = HistoryEvent extends infer E
  ? E extends { at: number }
    ? Omit<E, 'at'>
    : never
  : never;

/** Collects what happens in a simulated world. */
export class History {
  readonly events: HistoryEvent[] = [];
  private readonly drawn = new Map<string, string>();
  private readonly startedAt: number;

  constructor(private readonly world: World) {
    this.startedAt = world.now;
  }

  add(happening: Happening): void {
    this.events.push({ at: this.timeOf(this.world.now), ...happening } as HistoryEvent);
  }

  timeOf(moment: number): number {
    return Math.round((moment - this.startedAt) * 1_000) / 1_000;
  }

  /** Ids that were drawn by chance are told as numbers, so that one seed has one history. */
  nameOf(id: string): string {
    if (id.length !== 22) return id;
    let name = this.drawn.get(id);
    if (!name) this.drawn.set(id, (name = `drawn-${this.drawn.size + 1}`));
    return name;
  }
}
