import { Cluster } from 'ioredis';
import type {
  Backend,
  BackendSettings,
  Bell,
  CatalogStore,
  Durability,
  LeaseGuard,
  LeaseGuardSettings,
  TaskStore,
} from '../backend.js';
import { UnusableStoreError } from '../errors.js';
import type { EventWire } from '../event-wire.js';
import type { ScheduleStore } from '../schedule-store.js';
import type { StatsStore } from '../stats-store.js';
import { guardRedisLeases } from './lease-thread/redis-lease-guard.js';
import { RedisBell } from './redis-bell.js';
import { checkServers } from './redis-boot-checks.js';
import { RedisCatalog } from './redis-catalog.js';
import {
  connect,
  cutOff,
  deadlineMs,
  makeClient,
  makeSubscriber,
  nodesBySlot,
  type RedisClient,
  serversOf,
} from './redis-clients.js';
import { RedisClusterTasks } from './redis-cluster-tasks.js';
import { RedisConnection } from './redis-connection.js';
import { RedisKeys, slotOf } from './redis-keys.js';
import { plainListener, type ChannelListener } from './redis-listener.js';
import { checkListening } from './redis-rights.js';
import { RedisSchedules } from './redis-schedules.js';
import type { BellKind } from './redis-scripts.js';
import { RedisShardedListener } from './redis-sharded-listener.js';
import { redisTarget, nameOf, type RedisBackendOptions, type RedisTarget } from './redis-target.js';
import { RedisStats } from './redis-stats.js';
import { RedisTasks } from './redis-tasks.js';
import { RedisWire } from './redis-wire.js';

/** Tasks in Redis. */
export function redisBackend(options: RedisBackendOptions): Backend {
  return new RedisBackend(redisTarget(options), options.strict ?? false);
}

class RedisBackend implements Backend {
  readonly name: string;
  durability: Durability | undefined;
  private parts: Parts | undefined;

  constructor(
    private readonly target: RedisTarget,
    private readonly strict: boolean,
  ) {
    this.name = nameOf(target);
  }

  async open(settings: BackendSettings): Promise<void> {
    const client = makeClient(this.target);
    let listener: ChannelListener | undefined;
    try {
      // One after the other: a client that is cut off while it connects keeps a timer.
      await connect(client, this.target);
      const { durability, bells } = await checkServers(serversOf(client), {
        name: this.name,
        prefix: settings.prefix,
        strict: this.strict,
        isCluster: client instanceof Cluster,
      });
      this.durability = durability;
      listener = await this.listenerFor(client, bells, settings.prefix);
      const keys = new RedisKeys(settings.prefix);
      const connection = new RedisConnection(client, keys, deadlineMs, bells);
      const bell = new RedisBell(connection, listener);
      const events = new RedisWire(connection, listener);
      listener.onMessage = (channel, message) =>
        channel === keys.events ? events.heard(message) : bell.heard(channel, message);
      this.parts = {
        prefix: settings.prefix,
        connection,
        listener,
        tasks: connection.isCluster
          ? new RedisClusterTasks(connection, settings)
          : new RedisTasks(connection, settings),
        schedules: new RedisSchedules(connection, settings),
        catalog: new RedisCatalog(connection, settings),
        stats: new RedisStats(connection),
        bell,
        events,
      };
    } catch (error) {
      await Promise.all([cutOff(client), listener?.close()]);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.parts?.connection.close(), this.parts?.listener.close()]);
  }

  guardLeases(settings: LeaseGuardSettings): LeaseGuard | undefined {
    return guardRedisLeases(this.target, this.opened.prefix, settings);
  }

  get tasks(): TaskStore {
    return this.opened.tasks;
  }

  get schedules(): ScheduleStore {
    return this.opened.schedules;
  }

  get catalog(): CatalogStore {
    return this.opened.catalog;
  }

  get stats(): StatsStore {
    return this.opened.stats;
  }

  get bell(): Bell {
    return this.opened.bell;
  }

  get events(): EventWire {
    return this.opened.events;
  }

  private get opened(): Parts {
    if (!this.parts) throw new UnusableStoreError('the redis backend is not open');
    return this.parts;
  }

  private async listenerFor(client: RedisClient, bells: BellKind, prefix: string): Promise<ChannelListener> {
    if (client instanceof Cluster && bells === 'plain') return plainListener(client);
    const node = client instanceof Cluster ? nodesBySlot(client, 0)[0] : undefined;
    const subscriber = makeSubscriber(this.target, node);
    try {
      await connect(subscriber, this.target);
      await checkListening(subscriber, this.name, prefix, bells);
    } catch (error) {
      await cutOff(subscriber);
      throw error;
    }
    if (!(client instanceof Cluster)) return plainListener(subscriber);
    // It was for the check alone: a cluster is heard by one connection at each node.
    await cutOff(subscriber);
    return new RedisShardedListener(this.target, (channel) => nodesBySlot(client, slotOf(channel)));
  }
}

interface Parts {
  readonly prefix: string;
  readonly connection: RedisConnection;
  readonly listener: ChannelListener;
  readonly tasks: TaskStore;
  readonly schedules: ScheduleStore;
  readonly catalog: CatalogStore;
  readonly stats: StatsStore;
  readonly bell: Bell;
  readonly events: EventWire;
}
