import { afterAll } from '@jest/globals';
import { startOwnRedis, type OwnRedis } from './servers/redis.mjs';

const started: OwnRedis[] = [];
afterAll(async () => {
  for (const server of started.splice(0)) await server.stop();
});

/** A Redis server of this spec, which it may kill, stop and start again; gone when the spec ends. */
export async function ownRedis(
  settings: readonly string[] = ['--save', '', '--appendonly', 'no'],
  options?: Parameters<typeof startOwnRedis>[1],
): Promise<OwnRedis> {
  const server = await startOwnRedis(settings, options);
  started.push(server);
  return server;
}
