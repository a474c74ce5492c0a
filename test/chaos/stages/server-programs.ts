import { join } from 'node:path';

type Postgres = typeof import('../../support/servers/postgres.mjs');
type Redis = typeof import('../../support/servers/redis.mjs');
type RedisCluster = typeof import('../../support/servers/redis-cluster.mjs');

// They find their own files beside them, and so are loaded from where they are, not from a build of the driver.
// One after the other: jest loses its way where two that share a file are loaded at once.
let loading: Promise<unknown> = Promise.resolve();
const load = (file: string): Promise<unknown> =>
  (loading = loading.then(() => import(join(process.cwd(), 'test/support/servers', file))));

export const postgresServers = () => load('postgres.mjs') as Promise<Postgres>;
export const redisServers = () => load('redis.mjs') as Promise<Redis>;
export const redisClusters = () => load('redis-cluster.mjs') as Promise<RedisCluster>;
