import type { Redis } from 'ioredis';
import { cutOff, makeSubscriber } from './redis-clients.js';
import { keepAsking } from './redis-heartbeat.js';
import { anyRing, type ChannelListener } from './redis-listener.js';
import type { RedisNode, RedisTarget } from './redis-target.js';

const firstPauseMs = 50;
const longestPauseMs = 2_000;
const mostRedirections = 5;

/**
 * Hears sharded channels: each must be subscribed at the node that has its slot, by one connection per node. The client
 * library has this, too, but leaves channels unheard where its picture of the cluster is late: here every channel is
 * subscribed again, wherever the nodes send us, until one takes it.
 */
export class RedisShardedListener implements ChannelListener {
  onMessage: (channel: string, message: string) => void = () => undefined;
  private readonly subscribers = new Map<string, Redis>();
  private readonly stopAsking = new Map<string, () => void>();
  /** Every wanted channel, and the node that has taken it. */
  private readonly channels = new Map<string, string | undefined>();
  /** Nodes whose channels are about to be asked again. */
  private readonly doubted = new Set<string>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private isClosed = false;

  constructor(
    private readonly target: RedisTarget,
    /** The nodes of the cluster as they are known at the moment, the one that should have the channel first. */
    private readonly nodesFor: (channel: string) => RedisNode[],
  ) {}

  /** Resolves when each was taken or has had its first try; the others are tried until a node takes them. */
  async subscribe(channels: readonly string[]): Promise<void> {
    const fresh = channels.filter((channel) => !this.channels.has(channel));
    for (const channel of fresh) this.channels.set(channel, undefined);
    await Promise.all(fresh.map((channel) => this.settle(channel, 0)));
  }

  unsubscribe(channel: string): void {
    const takenBy = this.channels.get(channel);
    this.channels.delete(channel);
    if (takenBy !== undefined) this.leave(channel, takenBy);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const stop of this.stopAsking.values()) stop();
    await Promise.all(Array.from(this.subscribers.values(), cutOff));
  }

  /** Tries until a node has taken the channel. */
  private async settle(channel: string, failures: number, isLate = failures > 0): Promise<void> {
    if (this.isClosed || !this.channels.has(channel)) return;
    try {
      const node = await this.follow(channel, failures);
      // Nobody wants it any more.
      if (!this.channels.has(channel)) return this.leave(channel, node);
      this.channels.set(channel, node);
      // What was rung while nobody heard it.
      if (isLate) for (const message of anyRing) this.onMessage(channel, message);
    } catch {
      this.after(Math.min(firstPauseMs * 2 ** failures, longestPauseMs), () =>
        this.settle(channel, failures + 1),
      );
    }
  }

  private leave(channel: string, node: string): void {
    // Nothing hangs on it, and so no right is asked for.
    this.subscribers
      .get(node)
      ?.sunsubscribe(channel)
      .catch(() => undefined);
  }

  /** Asks a node, then wherever it is sent; gives the node that has taken the channel. */
  private async follow(channel: string, failures: number): Promise<string> {
    const nodes = this.nodesFor(channel);
    let node = nodes[failures % nodes.length] ?? this.target.nodes![0]!;
    for (let step = 0; ; step++) {
      try {
        const subscriber = await this.at(node);
        await subscriber.ssubscribe(channel);
        return nameOf(node);
      } catch (error) {
        const [, host, port] = /^MOVED \d+ (.*):(\d+)/.exec((error as Error).message) ?? [];
        if (port === undefined || step >= mostRedirections) throw error;
        // A node that does not know how it is called leaves the host out.
        node = this.reachable({ host: !host || host === '?' ? node.host : host, port: Number(port) });
      }
    }
  }

  private async at(node: RedisNode): Promise<Redis> {
    const name = nameOf(node);
    let subscriber = this.subscribers.get(name);
    if (!subscriber) {
      subscriber = makeSubscriber(this.target, node);
      this.subscribers.set(name, subscriber);
      this.stopAsking.set(name, keepAsking(subscriber));
      // Every channel waits for it.
      subscriber.setMaxListeners(0);
      subscriber.on('error', () => undefined);
      subscriber.on('smessage', (channel: string, message: string) => this.onMessage(channel, message));
      // A node says so when a slot has left it; asking again tells which channels that meant.
      subscriber.on('moved', () => this.doubt(name));
      subscriber.on('close', () => this.doubt(name));
      subscriber.connect().catch(() => undefined);
    }
    if (subscriber.status !== 'ready') await becomesReady(subscriber);
    return subscriber;
  }

  /** All that is said of a node in one moment is one reason to ask it again. */
  private doubt(name: string): void {
    if (this.doubted.has(name)) return;
    this.doubted.add(name);
    this.after(firstPauseMs, async () => {
      this.doubted.delete(name);
      const taken = [...this.channels].filter(([, takenBy]) => takenBy === name).map(([channel]) => channel);
      // From now on nobody's, so that a further doubt does not try them a second time beside this one.
      for (const channel of taken) this.channels.set(channel, undefined);
      await Promise.all(taken.map((channel) => this.settle(channel, 0, true)));
      this.dropIfUnused(name);
    });
  }

  /** A node that has left the cluster would be called for ever. */
  private dropIfUnused(name: string): void {
    for (const takenBy of this.channels.values()) if (takenBy === undefined || takenBy === name) return;
    this.subscribers.get(name)?.disconnect();
    this.subscribers.delete(name);
    this.stopAsking.get(name)?.();
    this.stopAsking.delete(name);
  }

  private after(ms: number, act: () => Promise<void>): void {
    if (this.isClosed) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void act();
    }, ms);
    this.timers.add(timer);
  }

  /** Where the cluster's own names do not reach from here, the client has been told what does. */
  private reachable(node: RedisNode): RedisNode {
    const map = this.target.clusterOptions?.natMap;
    return (typeof map === 'function' ? map(nameOf(node)) : map?.[nameOf(node)]) ?? node;
  }
}

const nameOf = ({ host, port }: RedisNode) => `${host}:${port}`;

/** Rejects where the connection that is being made fails. */
function becomesReady(subscriber: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (act: () => void) => () => {
      subscriber.off('ready', ready).off('close', closed);
      act();
    };
    const ready = over(resolve);
    const closed = over(() => reject(new Error('the connection was closed')));
    subscriber.on('ready', ready).on('close', closed);
  });
}
