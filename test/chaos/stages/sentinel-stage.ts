import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnRedis } from '../../support/servers/redis.mjs';
import { adminOf, keepsAlways, versionOf } from './redis-stage.js';
import { redisServers } from './server-programs.js';
import type { Stage } from './stage.js';

export interface SentinelStage extends Stage {
  readonly primary: OwnRedis;
  isPromoted(): Promise<boolean>;
}

const settingsFile = (port: number) => `
sentinel monitor tasks 127.0.0.1 ${port} 1
sentinel down-after-milliseconds tasks 1000
sentinel failover-timeout tasks 3000
`;

/** A primary, its replica, and a Sentinel that names them. */
export async function openSentinel(): Promise<Stage> {
  const { startOwnRedis } = await redisServers();
  const primary = await startOwnRedis(keepsAlways);
  const replica = await startOwnRedis([...keepsAlways, '--replicaof', '127.0.0.1', String(primary.port)]);
  const sentinel = await startOwnRedis(['--sentinel'], { settingsFile: settingsFile(primary.port) });
  const [asked, following] = [adminOf(sentinel.url), adminOf(replica.url)];
  const isReady = async () =>
    String(await asked.call('SENTINEL', ['REPLICAS', 'tasks'])).includes(String(replica.port)) &&
    /master_link_status:up/.test(await following.info('replication'));
  const until = Date.now() + 30_000;
  while (!(await isReady()) && Date.now() < until) await sleep(50);
  const stage: SentinelStage = {
    backend: 'redis',
    version: `Redis ${await versionOf(following)} with a replica and Sentinel`,
    address: {
      redis: { options: { sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: 'tasks' } },
    },
    primary,
    isPromoted: async () => String(await following.call('ROLE')).startsWith('master'),
    async close() {
      for (const admin of [asked, following]) admin.disconnect();
      await Promise.all([primary, replica, sentinel].map((server) => server.stop()));
    },
  };
  return stage;
}
