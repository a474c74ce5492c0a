import { afterAll } from '@jest/globals';
import { Redis, type RedisOptions } from 'ioredis';
import { startOwnRedis, type OwnRedis } from './servers/redis.mjs';

const admins: Redis[] = [];
const started: OwnRedis[] = [];
afterAll(async () => {
  for (const admin of admins.splice(0)) admin.disconnect();
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

/** The test's own connection to a server, past the application; closed when the spec ends. */
export function adminOf(url: string, options: RedisOptions = {}): Redis {
  // The client's timer for a disconnect outlives the connection, and must not hold up the exit.
  const admin = new Redis(url, { disconnectTimeout: 100, ...options });
  // A server may be down on purpose: calls tell.
  admin.on('error', () => undefined);
  admins.push(admin);
  return admin;
}
