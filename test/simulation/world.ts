import { setImmediate as turn } from 'node:timers/promises';
import { EventHeap, type WorldEvent } from './event-heap.js';

/** Whose event loop an event belongs to: it is lost when that dies, and waits while that is stalled. */
export interface Loop {
  readonly isAlive: boolean;
  readonly stalledUntil: number;
  /** Decides between loops that have something to do in the same moment. */
  readonly rank: number;
}

/**
 * What an event is to its loop. After a stall timers come first, then what has arrived, then immediates, as in Node. A thread
 * is beside the loop.
 */
export type Kind = 'timer' | 'arrival' | 'immediate' | 'thread';

const order: Record<Kind, number> = { thread: 0, timer: 0, arrival: 1, immediate: 2 };

export interface Pending {
  cancel(): void;
}

/** The one queue of all that is to happen, in virtual time: a step at a time, each with the promises that follow from it. */
export class World {
  now = Date.UTC(2030, 0, 1);
  /** Whose code is running. */
  current: Loop | undefined;
  private readonly heap = new EventHeap();
  private count = 0;

  at(at: number, run: () => void, loop?: Loop, kind: Kind = 'timer'): Pending {
    const event: WorldEvent = {
      at: Math.max(at, this.now),
      rank: loop?.rank ?? 0,
      late: 0,
      firstAt: at,
      number: ++this.count,
      run,
      loop,
      kind,
    };
    this.heap.add(event);
    return { cancel: () => void (event.run = undefined) };
  }

  after(ms: number, run: () => void, loop?: Loop, kind?: Kind): Pending {
    return this.at(this.now + ms, run, loop, kind);
  }

  /** What a loop still has before it. */
  left(loop: Loop, kind: Kind): number {
    return this.heap.count((event) => event.run !== undefined && event.loop === loop && event.kind === kind);
  }

  /** Lets things happen until then, or until `isOver`, which is asked after each step. */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    while (!isOver()) {
      const event = this.heap.peek();
      if (!event || event.at > until) break;
      this.heap.take();
      await this.step(event);
    }
    if (!isOver()) this.now = Math.max(this.now, until);
  }

  private async step(event: WorldEvent): Promise<void> {
    const { loop, run, kind } = event;
    if (!run || loop?.isAlive === false) return;
    if (loop && kind !== 'thread' && loop.stalledUntil > event.at) {
      this.heap.add(Object.assign(event, { at: loop.stalledUntil, late: order[kind] }));
      return;
    }
    this.now = event.at;
    this.current = loop;
    event.run = undefined;
    run();
    // All promise callbacks have run when an immediate does, however long their chain.
    await turn();
    this.current = undefined;
  }
}
