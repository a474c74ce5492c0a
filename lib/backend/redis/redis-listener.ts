import { Redis } from 'ioredis';
import { cutOff, type RedisClient } from './redis-clients.js';
import { keepAsking } from './redis-heartbeat.js';

/** What may have been said on a bell's channel while it was not heard: that there is work; that a slot may have come nearer. */
export const anyRing = ['', 's'] as const;

/** Hears what is published on channels, also after its connections were lost and made anew: then it tells of any ring. */
export interface ChannelListener {
  /** Told of every message from then on. */
  onMessage: (channel: string, message: string) => void;
  subscribe(channels: readonly string[]): Promise<void>;
  unsubscribe(channel: string): void;
  close(): Promise<void>;
}

/** One connection hears everything, whatever server it is connected to. */
export function plainListener(client: RedisClient): ChannelListener {
  const wanted = new Set<string>();
  const stopAsking = client instanceof Redis ? keepAsking(client) : undefined;
  const listener: ChannelListener = {
    onMessage: () => undefined,
    async subscribe(channels) {
      for (const channel of channels) wanted.add(channel);
      await client.subscribe(...channels);
    },
    unsubscribe(channel) {
      wanted.delete(channel);
      // Nothing hangs on it, and so no right is asked for.
      client.unsubscribe(channel).catch(() => undefined);
    },
    close() {
      stopAsking?.();
      return cutOff(client);
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
