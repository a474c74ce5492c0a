import { Logger } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import type { Backend, BackendSettings, CatalogStore } from '../../lib/backend/backend.js';
import type { PageRequest } from '../../lib/backend/catalog-store.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
import type { TaskRecord, TaskRef, TaskState } from '../../lib/task/task-record.js';
import type { TestStore } from '../backend/conformance/setup.js';
import { ageRedisQueue, ageRedisRunners } from './redis-time.js';
import { ShiftedBackend } from './shifted-backend.js';

// What is said at each boot is tested elsewhere.
Logger.overrideLogger(false);

/** The test run's Redis server, or its cluster, as a store whose clock a test can move. */
export async function openRedisStore(
  settings: BackendSettings,
  client: Redis | Cluster,
  url = process.env.TEST_REDIS_URL!,
): Promise<TestStore> {
  const backend = redisBackend({ url });
  await backend.open(settings);
  const starts = new AgedStarts(backend);
  const shifted = new ShiftedBackend(
    starts.backend,
    (queue, ms) => ageRedisQueue(client, settings.prefix, queue, ms),
    (names, ms) => ageRedisRunners(client, settings.prefix, names, ms),
  );
  const entries = async (queue: string, part: string) => {
    const key = new RedisKeys(settings.prefix).of(queue).find((name) => name.endsWith(`:${part}`))!;
    return Object.entries(await client.hgetall(key));
  };
  return {
    backend: shifted.backend,
    // Real time goes on during a test.
    driftMs: 1_000,
    advance: async (ms) => {
      await starts.age(ms);
      await shifted.advance(ms);
    },
    lockEntries: (queue) => entries(queue, 'locks'),
    noteEntries: async (queue) => {
      const fields = (await entries(queue, 'notes')).map(([field]) => field);
      return [...new Set(fields.filter((field) => /:[pl]$/.test(field)).map((field) => field.slice(0, -2)))];
    },
    close: () => backend.close(),
  };
}

/**
 * When a run began is told by its epoch, which fences it and so cannot be made older: what is read of it is, by all that time
 * was moved since.
 */
class AgedStarts {
  private readonly moves: { readonly at: number; readonly ms: number }[] = [];

  constructor(private readonly real: Backend) {}

  /** What begins afterwards does so in another millisecond. */
  async age(ms: number): Promise<void> {
    const at = Date.now();
    this.moves.push({ at, ms });
    while (Date.now() === at) await new Promise((resolve) => setImmediate(resolve));
  }

  get backend(): Backend {
    const { real } = this;
    const { catalog } = real;
    const aged: CatalogStore = Object.assign(Object.create(catalog) as CatalogStore, {
      get: async (ref: TaskRef) => {
        const record = await catalog.get(ref);
        return record && this.aged(record);
      },
      list: async (queue: string, state: TaskState, page: PageRequest) => {
        const { tasks, next } = await catalog.list(queue, state, page);
        return { tasks: tasks.map((record) => this.aged(record)), next };
      },
    });
    return Object.create(real, { catalog: { value: aged } }) as Backend;
  }

  private aged(record: TaskRecord): TaskRecord {
    const { startedAt } = record;
    if (startedAt === undefined) return record;
    const since = this.moves.filter(({ at }) => at >= startedAt);
    return { ...record, startedAt: since.reduce((at, { ms }) => at - ms, startedAt) };
  }
}
