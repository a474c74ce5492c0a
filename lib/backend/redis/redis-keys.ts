import { Command } from 'ioredis';

/** The parts of a queue, in the order in which every script expects their keys. */
const parts = [
  'waiting',
  'scheduled',
  'pending',
  'dead',
  'parked',
  'kept',
  'cancelled',
  'unknown',
  'tasks',
  'runs',
  'notes',
  'locks',
  'meta',
  'schedules',
  'slots',
] as const;

/** Those that plain tasks need on their way, in the order of lua/exchange.lua. */
const busyParts = ['waiting', 'scheduled', 'pending', 'tasks', 'runs', 'meta'] as const;

/**
 * Names the keys. All keys of a queue carry one hash tag, so that they lie in one slot of a cluster: the queue's own tag
 * where its name has one (`{mail}.high`), else the whole name.
 */
export class RedisKeys {
  private readonly known = new Map<string, readonly string[]>();
  private readonly knownBusy = new Map<string, readonly string[]>();
  private readonly slots = new Map<string, number>();

  constructor(private readonly prefix: string) {}

  of(queue: string): readonly string[] {
    let keys = this.known.get(queue);
    if (!keys) this.known.set(queue, (keys = parts.map((part) => `${this.base(queue)}:${part}`)));
    return keys;
  }

  busyOf(queue: string): readonly string[] {
    let keys = this.knownBusy.get(queue);
    if (!keys) this.knownBusy.set(queue, (keys = busyParts.map((part) => `${this.base(queue)}:${part}`)));
    return keys;
  }

  /** The channel on which a queue's bell rings. */
  bell(queue: string): string {
    return `${this.base(queue)}:bell`;
  }

  /** The slot of a cluster in which a queue lies. */
  slot(queue: string): number {
    let slot = this.slots.get(queue);
    if (slot === undefined) this.slots.set(queue, (slot = slotOf(this.bell(queue))));
    return slot;
  }

  /** The names of all queues that have held a task. */
  get queues(): string {
    return `${this.prefix}:queues`;
  }

  private base(queue: string): string {
    const hasTag = /\{[^}]+\}/.test(queue);
    return hasTag ? `${this.prefix}:${queue}` : `${this.prefix}:{${queue}}`;
  }
}

/** As the client reckons it, who sends the commands. */
export function slotOf(key: string): number {
  return new Command('get', [key]).getSlot();
}
