import { Redis, type RedisOptions } from 'ioredis';
import type { Backend, BackendSettings, Bell, CatalogStore, ScheduleStore, TaskStore } from '../backend.js';
import { RedisBell } from './redis-bell.js';
import { RedisCatalog } from './redis-catalog.js';
import { RedisConnection } from './redis-connection.js';
import { RedisKeys } from './redis-keys.js';
import { RedisSchedules } from './redis-schedules.js';
import { RedisTasks } from './redis-tasks.js';

export interface RedisBackendOptions {
  readonly url?: string;
  readonly options?: RedisOptions;
}

const deadlineMs = 5_000;

/** Tasks in Redis. */
export function redisBackend(options: RedisBackendOptions): Backend {
  return new RedisBackend(options);
}

class RedisBackend implements Backend {
  readonly name = 'redis';
  private parts: Parts | undefined;

  constructor(private readonly options: RedisBackendOptions) {}

  async open(settings: BackendSettings): Promise<void> {
    const client = this.connect();
    const subscriber = this.connect();
    await Promise.all([client.connect(), subscriber.connect()]);
    const connection = new RedisConnection(client, new RedisKeys(settings.prefix), deadlineMs);
    this.parts = {
      client,
      subscriber,
      tasks: new RedisTasks(connection, settings),
      schedules: new RedisSchedules(connection),
      catalog: new RedisCatalog(connection, settings),
      bell: new RedisBell(connection, subscriber),
    };
  }

  async close(): Promise<void> {
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
    if (!this.parts) throw new Error('the redis backend is not open');
    return this.parts;
  }

  private connect(): Redis {
    const { url, options } = this.options;
    // What was sent and not answered is repeated by us, knowingly, and never by the client.
    const own: RedisOptions = {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      ...options,
    };
    const client = url === undefined ? new Redis(own) : new Redis(url, own);
    client.on('error', () => undefined);
    return client;
  }
}

interface Parts {
  readonly client: Redis;
  readonly subscriber: Redis;
  readonly tasks: TaskStore;
  readonly schedules: ScheduleStore;
  readonly catalog: CatalogStore;
  readonly bell: Bell;
}
