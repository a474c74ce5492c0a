import type { Bell } from '../backend.js';
import type { RedisConnection } from './redis-connection.js';
import { anyRing, type ChannelListener } from './redis-listener.js';

type Wake = (queue: string, cancelledId?: string) => void;

/** What is published on a queue's channel: that there is work; that a task is to stop; that a slot may have come nearer. */
const [work, schedules] = anyRing;
const cancelled = 'c';

/** Who listens to a channel. */
interface Listeners {
  readonly queue: string;
  readonly toTasks: Set<Wake>;
  readonly toSchedules: Set<Wake>;
}

/** Rings by publish and subscribe, as the scripts do by themselves. A ring that gets lost costs a sweep. */
export class RedisBell implements Bell {
  readonly lossless = false;
  private readonly listeners = new Map<string, Listeners>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly listener: ChannelListener,
  ) {}

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

  heard(channel: string, message: string): void {
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
