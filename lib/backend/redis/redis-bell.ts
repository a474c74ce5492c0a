import { Redis } from 'ioredis';
import type { Bell } from '../backend.js';
import type { RedisClient } from './redis-clients.js';
import type { RedisConnection } from './redis-connection.js';
import { keepAsking } from './redis-heartbeat.js';

type Wake = (queue: string, cancelledId?: string) => void;

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
  private readonly listeners = new Map<string, { queue: string; wakes: Set<Wake> }>();

  constructor(
    private readonly connection: RedisConnection,
    private readonly listener: BellListener,
  ) {
    listener.onMessage = (channel, message) => this.wake(channel, message || undefined);
  }

  ring(queue: string, cancelledId = ''): void {
    const { client, keys, bells } = this.connection;
    const channel = keys.bell(queue);
    const rung =
      bells === 'plain' ? client.publish(channel, cancelledId) : client.spublish(channel, cancelledId);
    rung.catch(() => undefined);
  }

  async listen(queues: readonly string[], wake: Wake): Promise<() => void> {
    const channels = queues.map((queue) => this.connection.keys.bell(queue));
    channels.forEach((channel, index) => {
      const listener = this.listeners.get(channel);
      if (listener) listener.wakes.add(wake);
      else this.listeners.set(channel, { queue: queues[index]!, wakes: new Set([wake]) });
    });
    if (channels.length > 0) await this.listener.subscribe(channels);
    return () => {
      for (const channel of channels) this.listeners.get(channel)?.wakes.delete(wake);
    };
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
    if (wanted.size > 0) client.subscribe(...wanted).catch(() => undefined);
  });
  return listener;
}
