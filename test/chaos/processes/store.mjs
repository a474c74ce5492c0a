// The backend at an address that was given to a process.
import { Cluster } from 'ioredis';

export async function backendAt(store, build) {
  const { redisBackend } = await import(`${build}/backend/redis/index.js`);
  const { postgresBackend } = await import(`${build}/backend/postgres/index.js`);
  if (store.postgres) return postgresBackend(store.postgres);
  const { natMap, ...redis } = store.redis;
  return redisBackend(natMap ? { client: clusterBehind(redis.url, natMap) } : redis);
}

/** Nodes name each other by addresses that lead past any proxy: a map says what leads to them. Made to be imitated, never connected. */
function clusterBehind(url, natMap) {
  const nodes = url.replace('redis+cluster://', '').split(',');
  return new Cluster(nodes, { natMap, lazyConnect: true });
}
