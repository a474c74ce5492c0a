import { Redis } from 'ioredis';
import type { Bell } from '../backend.js';
import type { RedisClient } from './redis-clients.js';
import type { RedisConnection } from './redis-connection.js';
import { keepAsking } from './redis-heartbeat.js';

type Wake = (queue: string, cancelledId?: string) => void;

/** What is published on a queue's channel: that there is work; that a task is to stop; that a slot may have come nearer. */
const work = '';
const cancelled = 'c';
const schedules = 's';
/** What may have been said while a channel was not heard. */
export const anyRing: readonly string[] = [work, schedules];

/** Who listens to a channel. */
interface Listeners {
  readonly queue: string;
  readonly toTasks: Set<Wake>;
  readonly toSchedules: Set<Wake>;
}

/** Hears what is published on channels, also after its connections were lost and made anew. */
export interface BellListener {
  /** Told of every message from then on. */
  onMessage: (channel: string, message: string) => void;
  subscribe(channels: readonly string[]): Promise<void>;
  close(): void;
}

/** Rings by publish and subscribe, as the scripts do by themselves. A ring that gets lost costs a sweep. */
export class RedisBell implements Bell {
  readonly lossless = false;
  private readonly listeners = new Map<string, Listeners>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly listener: BellListener,
  ) {
    listener.onMessage = (channel, message) => this.heard(channel, message);
  }

  ring(queue: string, cancelledId?: string): void {
    const { client, keys, bells } = this.connection;
    const channel = keys.bell(queue);
    const message = cancelledId === undefined ? work : cancelled + cancelledId;
    const rung = bells === 'plain' ? client.publish(channel, message) : client.spublish(channel, message);
    rung.catch(() => undefined);
  }

  listen(queues: readonly string[], wake: Wake): Promise<() => void> {
    return this.join(queues, 'toTasks', wake);
  }

  listenToSchedules(queues: readonly string[], wake: (queue: string) => void): Promise<() => void> {
    return this.join(queues, 'toSchedules', wake);
  }

  private async join(
    queues: readonly string[],
    what: 'toTasks' | 'toSchedules',
    wake: Wake,
  ): Promise<() => void> {
    const channels = queues.map((queue) => this.connection.keys.bell(queue));
    channels.forEach((channel, index) => {
      let listeners = this.listeners.get(channel);
      if (!listeners) {
        listeners = { queue: queues[index]!, toTasks: new Set(), toSchedules: new Set() };
        this.listeners.set(channel, listeners);
      }
      listeners[what].add(wake);
    });
    if (channels.length > 0) await this.listener.subscribe(channels);
    return () => {
      for (const channel of channels) this.listeners.get(channel)?.[what].delete(wake);
    };
  }

  private heard(channel: string, message: string): void {
    const listeners = this.listeners.get(channel);
    if (!listeners) return;
    const { queue, toTasks, toSchedules } = listeners;
    if (message === schedules) return wakeAll(toSchedules, queue);
    wakeAll(toTasks, queue, message.startsWith(cancelled) ? message.slice(1) : undefined);
  }
}

function wakeAll(wakes: ReadonlySet<Wake>, queue: string, cancelledId?: string): void {
  for (const wake of wakes) {
    try {
      wake(queue, cancelledId);
    } catch {
      // Whoever rings has done its work; a listener's trouble is not its own.
    }
  }
}

/** One connection hears everything, whatever server it is connected to. */
export function plainListener(client: RedisClient): BellListener {
  const wanted = new Set<string>();
  const stopAsking = client instanceof Redis ? keepAsking(client) : undefined;
  const listener: BellListener = {
    onMessage: () => undefined,
    async subscribe(channels) {
      for (const channel of channels) wanted.add(channel);
      await client.subscribe(...channels);
    },
    close() {
      stopAsking?.();
      client.disconnect();
    },
  };
  client.on('message', (channel: string, message: string) => listener.onMessage(channel, message));
  // The client brings back what it had subscribed to, but not what was asked for while the server was away.
  client.on('ready', () => {
    if (wanted.size === 0) return;
    client.subscribe(...wanted).then(
      () => {
        // What was rung while nobody heard it.
        for (const channel of wanted) for (const message of anyRing) listener.onMessage(channel, message);
      },
      () => undefined,
    );
  });
  return listener;
}
