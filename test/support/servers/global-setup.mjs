// Starts the servers that the tests use, once for all test files; each finds its address in the environment.
import { startRedis } from './redis.mjs';

export default async function globalSetup() {
  const redis = await startRedis();
  process.env.TEST_REDIS_URL = redis.url;
  globalThis.testServers = [redis];
}
