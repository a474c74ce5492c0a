import type { EventWire } from '../event-wire.js';
import type { RedisConnection } from './redis-connection.js';
import type { ChannelListener } from './redis-listener.js';

const longestTextBytes = 4_000;
/** More would keep others waiting on the connection. */
const textsPerMessage = 100;

type Heard = (text: string) => void;

/**
 * Publishes texts on the connection that sends commands, and hears them on the one that hears bells. On a cluster whose
 * bells are sharded so is this: a message goes to one node, and not to all.
 */
export class RedisWire implements EventWire {
  private readonly listeners = new Set<{ readonly heard: Heard }>();
  private waiting: string[] = [];

  constructor(
    private readonly connection: RedisConnection,
    private readonly listener: ChannelListener,
  ) {}

  send(text: string): void {
    if (Buffer.byteLength(text) > longestTextBytes) return;
    this.waiting.push(text);
    if (this.waiting.length === 1) setImmediate(() => this.publish());
  }

  async listen(heard: Heard): Promise<() => void> {
    const { events } = this.connection.keys;
    const listening = { heard };
    this.listeners.add(listening);
    const stop = () => {
      if (this.listeners.delete(listening) && this.listeners.size === 0) this.listener.unsubscribe(events);
    };
    try {
      await this.listener.subscribe([events]);
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** A message of our channel. What else is heard on it, such as a ring after a reconnect, is no list. */
  heard(message: string): void {
    if (!message.startsWith('[')) return;
    for (const text of readTexts(message))
      for (const { heard } of this.listeners) {
        try {
          heard(text);
        } catch {
          // Whoever sent it has done its work; a listener's trouble is not its own.
        }
      }
  }

  /** What was sent in one moment, in one message. One that gets lost is lost. */
  private publish(): void {
    const texts = this.waiting;
    this.waiting = [];
    const { client, keys, bells, closed } = this.connection;
    if (closed.aborted) return;
    for (let from = 0; from < texts.length; from += textsPerMessage) {
      const message = JSON.stringify(texts.slice(from, from + textsPerMessage));
      const sent =
        bells === 'plain' ? client.publish(keys.events, message) : client.spublish(keys.events, message);
      sent.catch(() => undefined);
    }
  }
}

/** Anybody who may publish there can say anything. */
function readTexts(message: string): string[] {
  try {
    return (JSON.parse(message) as unknown[]).filter((text) => typeof text === 'string');
  } catch {
    return [];
  }
}
