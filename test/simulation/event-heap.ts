import type { Kind, Loop } from './world.js';

export interface WorldEvent {
  at: number;
  readonly rank: number;
  /** Where it stands among those that had to wait for their loop. */
  late: number;
  readonly firstAt: number;
  readonly number: number;
  /** Undefined: called off, or done. */
  run: (() => void) | undefined;
  readonly loop: Loop | undefined;
  readonly kind: Kind;
}

/** Keeps events so that the next one is at hand. */
export class EventHeap {
  private readonly events: WorldEvent[] = [];

  peek(): WorldEvent | undefined {
    return this.events[0];
  }

  count(isCounted: (event: WorldEvent) => boolean): number {
    return this.events.filter(isCounted).length;
  }

  add(event: WorldEvent): void {
    const { events } = this;
    let at = events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(events[parent]!, event)) break;
      events[at] = events[parent]!;
      at = parent;
    }
    events[at] = event;
  }

  take(): WorldEvent | undefined {
    const { events } = this;
    const first = events[0];
    const last = events.pop();
    if (!first || events.length === 0) return first;
    let at = 0;
    for (let child = 1; child < events.length; child = 2 * at + 1) {
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child++;
      if (isBefore(last!, events[child]!)) break;
      events[at] = events[child]!;
      at = child;
    }
    events[at] = last!;
    return first;
  }
}

function isBefore(one: WorldEvent, other: WorldEvent): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.rank !== other.rank) return one.rank < other.rank;
  if (one.late !== other.late) return one.late < other.late;
  if (one.firstAt !== other.firstAt) return one.firstAt < other.firstAt;
  return one.number < other.number;
}
