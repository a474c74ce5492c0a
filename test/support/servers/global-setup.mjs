// Starts the servers that the tests use, once for all test files; each finds its address in the environment.
// Installs the libraries that only some tests use.
import { installLibraries } from '../../orm/install.mjs';
import { findChromium } from './chromium.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedisCluster } from './redis-cluster.mjs';
import { startRedis } from './redis.mjs';

export default async function globalSetup() {
  // What was started is known at once, so that it is stopped also where another fails to start.
  const servers = (globalThis.testServers = []);
  const started = async (starting) => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  const [redis, cluster, postgres] = await Promise.all([
    started(startRedis()),
    started(startRedisCluster()),
    started(startPostgres()),
    installLibraries(),
  ]);
  process.env.TEST_CHROMIUM = findChromium();
  process.env.TEST_REDIS_URL = redis.url;
  process.env.TEST_REDIS_CLUSTER_URL = cluster.url;
  process.env.TEST_POSTGRES_URL = postgres.url;
}
