import { Redis } from 'ioredis';
import type { OwnRedis } from '../../support/servers/redis.mjs';
import { redisServers } from './server-programs.js';
import type { Stage } from './stage.js';

export interface RedisStage extends Stage {
  readonly server: OwnRedis;
  /** Past all proxies. */
  readonly admin: Redis;
}

export const keepsAlways = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
export const keepsEverySecond = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];

export async function openRedis(
  settings: readonly string[] = keepsAlways,
  place?: string,
): Promise<RedisStage> {
  const { startOwnRedis } = await redisServers();
  const server = await startOwnRedis(settings, { place });
  const admin = adminOf(server.url);
  return {
    backend: 'redis',
    version: `Redis ${await versionOf(admin)}, appendfsync ${settings.includes('everysec') ? 'everysec' : 'always'}`,
    address: { redis: { url: server.url } },
    ports: [server.port],
    server,
    admin,
    probe: { kind: 'redis', ports: [server.port] },
    async close() {
      admin.disconnect();
      await server.stop();
    },
  };
}

/** A connection that outlasts its server's restarts. */
export function adminOf(url: string): Redis {
  const admin = new Redis(url, {
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
    disconnectTimeout: 100,
  });
  admin.on('error', () => undefined);
  return admin;
}

export async function versionOf(admin: Redis): Promise<string> {
  return /redis_version:(\S+)/.exec(await admin.info('server'))?.[1] ?? 'of unknown version';
}
