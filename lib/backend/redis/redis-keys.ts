/** The parts of a queue, in the order in which every script expects their keys. */
const parts = [
  'waiting',
  'scheduled',
  'pending',
  'dead',
  'parked',
  'kept',
  'cancelled',
  'parkedBy',
  'tasks',
  'runs',
  'notes',
  'locks',
  'meta',
  'schedules',
  'slots',
] as const;

/**
 * Names the keys. All keys of a queue carry one hash tag, so that they lie in one slot of a cluster: the queue's own tag
 * where its name has one (`{mail}.high`), else the whole name.
 */
export class RedisKeys {
  private readonly known = new Map<string, readonly string[]>();

  constructor(private readonly prefix: string) {}

  of(queue: string): readonly string[] {
    let keys = this.known.get(queue);
    if (!keys) this.known.set(queue, (keys = parts.map((part) => `${this.base(queue)}:${part}`)));
    return keys;
  }

  /** The channel on which a queue's bell rings. */
  bell(queue: string): string {
    return `${this.base(queue)}:bell`;
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
