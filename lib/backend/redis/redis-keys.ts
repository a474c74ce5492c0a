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
  'parkedBy',
  'tasks',
  'runs',
  'notes',
  'locks',
  'meta',
  'schedules',
  'slots',
  'stats',
] as const;

/** The scripts that are called most, by runners with nothing to do, or for many queues name only the keys that they need, in this order. */
const partsOfShort: Record<string, readonly (typeof parts)[number][]> = {
  addPlain: ['waiting', 'tasks', 'meta'],
  exchange: ['waiting', 'scheduled', 'pending', 'tasks', 'runs'],
  due: ['runs', 'schedules', 'slots'],
  now: ['slots'],
  glance: ['waiting', 'scheduled', 'pending', 'dead', 'parked', 'kept', 'cancelled', 'runs'],
  report: ['notes', 'schedules', 'stats'],
  readStats: ['notes', 'stats'],
};

/**
 * Names the keys. All keys of a queue carry one hash tag, so that they lie in one slot of a cluster: the queue's own tag
 * where its name has one (`{mail}.high`), else the whole name.
 */
export class RedisKeys {
  private readonly known = new Map<string, Map<string, readonly string[]>>();
  private readonly slots = new Map<string, number>();

  constructor(private readonly prefix: string) {}

  /** The keys of a queue as a script names them; most scripts name all. */
  of(queue: string, script = 'any'): readonly string[] {
    let scripts = this.known.get(queue);
    if (!scripts) this.known.set(queue, (scripts = new Map<string, readonly string[]>()));
    let keys = scripts.get(script);
    if (!keys) {
      const base = this.base(queue);
      keys = (partsOfShort[script] ?? parts).map((part) => `${base}:${part}`);
      scripts.set(script, keys);
    }
    return keys;
  }

  /** What is remembered of a line of calls that add tasks to a queue. */
  calls(queue: string, line: string): string {
    return `${this.base(queue)}:calls:${line}`;
  }

  /** A key in the slot of a queue that is never written. */
  never(queue: string): string {
    return `${this.base(queue)}:never`;
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

  /** What live runners say of themselves, and until when they are taken for alive; in one slot, as the one is the tag of the other. */
  get runners(): readonly [infos: string, ends: string] {
    return [`${this.prefix}:runners`, this.besideRunners('ends')];
  }

  /** A key in the slot of those that is never written. */
  get neverOfRunners(): string {
    return this.besideRunners('never');
  }

  /** The channel on which processes tell each other of events. */
  get events(): string {
    return `${this.prefix}:events`;
  }

  private besideRunners(part: string): string {
    return `${this.prefix}:{${this.prefix}:runners}:${part}`;
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
