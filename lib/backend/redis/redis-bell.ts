import type { Redis } from 'ioredis';
import type { Bell } from '../backend.js';
import type { RedisConnection } from './redis-connection.js';

type Wake = (queue: string, cancelledId?: string) => void;

/** Rings by publish and subscribe, as the scripts do by themselves. A ring that gets lost costs a sweep. */
export class RedisBell implements Bell {
  readonly lossless = false;
  private readonly listeners = new Map<string, { queue: string; wakes: Set<Wake> }>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly subscriber: Redis,
  ) {
    subscriber.on('message', (channel: string, message: string) => this.wake(channel, message || undefined));
    // The client brings back what it had subscribed to, but not what was asked for while the server was away.
    subscriber.on('ready', () => void this.subscribe([...this.listeners.keys()]).catch(() => undefined));
  }

  ring(queue: string, cancelledId?: string): void {
    this.connection.client
      .publish(this.connection.keys.bell(queue), cancelledId ?? '')
      .catch(() => undefined);
  }

  async listen(queues: readonly string[], wake: Wake): Promise<() => void> {
    const channels = queues.map((queue) => this.connection.keys.bell(queue));
    channels.forEach((channel, index) => {
      const listener = this.listeners.get(channel);
      if (listener) listener.wakes.add(wake);
      else this.listeners.set(channel, { queue: queues[index]!, wakes: new Set([wake]) });
    });
    await this.subscribe(channels);
    return () => {
      for (const channel of channels) this.listeners.get(channel)?.wakes.delete(wake);
    };
  }

  private async subscribe(channels: readonly string[]): Promise<void> {
    if (channels.length > 0) await this.subscriber.subscribe(...channels);
  }

  private wake(channel: string, cancelledId: string | undefined): void {
    const listener = this.listeners.get(channel);
    if (!listener) return;
    for (const wake of listener.wakes) {
      try {
        wake(listener.queue, cancelledId);
      } catch {
        // Whoever rings has done its work; a listener's trouble is not its own.
      }
    }
  }
}
