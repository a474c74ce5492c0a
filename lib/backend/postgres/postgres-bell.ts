import type { Bell } from '../backend.js';
import type { Sequel } from './postgres-functions.js';
import { ringing, type Kind, type Ring } from './postgres-ring.js';

type Wake = (queue: string, cancelledId?: string) => void;

const mostWaiting = 10_000;

/** What carries rings between processes. */
export interface BellWire {
  /** Connects; whoever listens is told of each ring, and where some may have been missed. */
  open(heard: (ring: Ring) => void, missed: () => void): Promise<void>;
  /** Never rejects; false where they may not have been heard: they are to be sent again after the next `missed`. */
  send(rings: readonly Ring[]): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Rings within the process at once, and in the others by the wire. Rings that come while some are on their way wait for
 * each other: the database takes one lock for all who ring.
 */
export class PostgresBell implements Bell {
  readonly lossless = false;
  private readonly listeners: Record<Kind, Map<string, Set<Wake>>> = { t: new Map(), s: new Map() };
  private waiting = new Map<string, Ring>();
  private isSending = false;

  constructor(
    private readonly wire: BellWire | undefined,
    /** Tells our own rings from those of others: what was heard here needs no echo. */
    private readonly sender: string,
    private readonly schema: string,
  ) {}

  async open(): Promise<void> {
    await this.wire?.open(
      ([kind, queue, sender, cancelledId]) => {
        if (sender !== this.sender) this.wake(kind, queue, cancelledId ?? undefined);
      },
      () => {
        this.wakeAll();
        this.sendSoon();
      },
    );
  }

  async close(): Promise<void> {
    await this.wire?.close();
  }

  ring(queue: string, cancelledId?: string): void {
    this.ringOut('t', queue, cancelledId);
  }

  ringForSchedules(queue: string): void {
    this.ringOut('s', queue);
  }

  /** Once for each queue. */
  ringAll(queues: readonly string[]): void {
    for (const queue of queues.length > 1 ? new Set(queues) : queues) this.ring(queue);
  }

  /** What rings for tasks that are about to be stored, to leave right behind them; nothing where it goes by no wire. */
  behind(queues: Iterable<string>): Sequel | undefined {
    if (!this.wire) return undefined;
    const rings = Array.from(new Set(queues), (queue): Ring => ['t', queue, this.sender]);
    const { statement, values } = ringing(this.schema, rings);
    return {
      statement,
      texts: () => values,
      // It rings for what the latest try has stored.
      isOnce: false,
      answered: () => undefined,
      failed: () => this.ringAll(rings.map(([, queue]) => queue)),
    };
  }

  /** The others have been rung for already, behind what was stored. */
  ringHere(queues: readonly string[]): void {
    for (const queue of queues.length > 1 ? new Set(queues) : queues) this.wake('t', queue);
  }

  async listen(queues: readonly string[], wake: Wake): Promise<() => void> {
    return this.join('t', queues, wake);
  }

  async listenToSchedules(queues: readonly string[], wake: (queue: string) => void): Promise<() => void> {
    return this.join('s', queues, wake);
  }

  private ringOut(kind: Kind, queue: string, cancelledId?: string): void {
    this.wake(kind, queue, cancelledId);
    if (!this.wire) return;
    const ring: Ring = [kind, queue, this.sender, cancelledId];
    // Those that wait for a connection to come back are not to grow without end: the sweep makes up for them.
    if (this.waiting.size < mostWaiting) this.waiting.set(JSON.stringify(ring), ring);
    this.sendSoon();
  }

  private sendSoon(): void {
    if (this.wire && !this.isSending) void this.send(this.wire);
  }

  private async send(wire: BellWire): Promise<void> {
    this.isSending = true;
    while (this.waiting.size > 0) {
      const rings = [...this.waiting.values()];
      this.waiting = new Map();
      if (await wire.send(rings)) continue;
      for (const ring of rings) this.waiting.set(JSON.stringify(ring), ring);
      break;
    }
    this.isSending = false;
  }

  private wake(kind: Kind, queue: string, cancelledId?: string): void {
    for (const wake of this.listeners[kind].get(queue) ?? []) {
      try {
        wake(queue, cancelledId);
      } catch {
        // Whoever rings has done its work; a listener's trouble is not its own.
      }
    }
  }

  private wakeAll(): void {
    for (const kind of ['t', 's'] as const)
      for (const queue of this.listeners[kind].keys()) this.wake(kind, queue);
  }

  private join(kind: Kind, queues: readonly string[], wake: Wake): () => void {
    const listeners = this.listeners[kind];
    // An own function for each call: who listens twice may stop once.
    const own: Wake = (queue, cancelledId) => wake(queue, cancelledId);
    for (const queue of queues) {
      const wakes = listeners.get(queue);
      if (wakes) wakes.add(own);
      else listeners.set(queue, new Set([own]));
    }
    return () => {
      for (const queue of queues) {
        listeners.get(queue)?.delete(own);
        if (listeners.get(queue)?.size === 0) listeners.delete(queue);
      }
    };
  }
}
