import { Redis } from 'ioredis';
import type {
  Backend,
  BackendSettings,
  Bell,
  CatalogStore,
  Durability,
  ScheduleStore,
  TaskStore,
} from '../backend.js';
import { UnusableStoreError } from '../errors.js';
import { checkAtBoot } from './redis-boot-checks.js';
import { RedisBell } from './redis-bell.js';
import { RedisCatalog } from './redis-catalog.js';
import { RedisConnection } from './redis-connection.js';
import { keepAsking } from './redis-heartbeat.js';
import { RedisKeys } from './redis-keys.js';
import { connectAtBoot } from './redis-refusal.js';
import { RedisSchedules } from './redis-schedules.js';
import { redisTarget, nameOf, type RedisBackendOptions, type RedisTarget } from './redis-target.js';
import { RedisTasks } from './redis-tasks.js';

/** A server that has not answered by then is taken for gone, and its connection is made anew. */
const deadlineMs = 5_000;
const longestReconnectPauseMs = 1_000;

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
    const client = this.makeClient();
    const subscriber = this.makeClient();
    try {
      // One after the other: a client that is cut off while it connects keeps a timer.
      await connectAtBoot(client, this.name);
      await connectAtBoot(subscriber, this.name);
      const check = { name: this.name, prefix: settings.prefix, strict: this.strict };
      this.durability = await checkAtBoot([client], subscriber, check);
    } catch (error) {
      client.disconnect();
      subscriber.disconnect();
      throw error;
    }
    const connection = new RedisConnection(client, new RedisKeys(settings.prefix), deadlineMs);
    this.parts = {
      client,
      subscriber,
      stopAsking: keepAsking(subscriber),
      tasks: new RedisTasks(connection, settings),
      schedules: new RedisSchedules(connection),
      catalog: new RedisCatalog(connection, settings),
      bell: new RedisBell(connection, subscriber),
    };
  }

  async close(): Promise<void> {
    this.parts?.stopAsking();
    this.parts?.client.disconnect();
    this.parts?.subscriber.disconnect();
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

  get bell(): Bell {
    return this.opened.bell;
  }

  private get opened(): Parts {
    if (!this.parts) throw new UnusableStoreError('the redis backend is not open');
    return this.parts;
  }

  private makeClient(): Redis {
    return new Redis({
      ...this.target.options,
      lazyConnect: true,
      // What was sent and not answered is repeated by us, knowingly, and never by the client.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      socketTimeout: deadlineMs,
      // The client's timer for this outlives a connection that is gone already; it must not hold up an exit.
      disconnectTimeout: 100,
      retryStrategy: (tries) => Math.min(tries * 50, longestReconnectPauseMs),
      // After a failover the old primary refuses writes: its successor is behind the same name.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
  }
}

interface Parts {
  readonly client: Redis;
  readonly subscriber: Redis;
  readonly stopAsking: () => void;
  readonly tasks: TaskStore;
  readonly schedules: ScheduleStore;
  readonly catalog: CatalogStore;
  readonly bell: Bell;
}
