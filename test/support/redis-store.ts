import { Logger } from '@nestjs/common';
import type { Cluster, Redis } from 'ioredis';
import type { BackendSettings } from '../../lib/backend/backend.js';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
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
  const shifted = new ShiftedBackend(
    backend,
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
    advance: (ms) => shifted.advance(ms),
    lockEntries: (queue) => entries(queue, 'locks'),
    noteEntries: async (queue) => {
      const fields = (await entries(queue, 'notes')).map(([field]) => field);
      return [...new Set(fields.filter((field) => /:[pl]$/.test(field)).map((field) => field.slice(0, -2)))];
    },
    close: () => backend.close(),
  };
}
