import { SlotMover } from '../../support/redis-cluster.js';
import { adminOf, keepsAlways, versionOf } from './redis-stage.js';
import { redisClusters } from './server-programs.js';
import type { Stage } from './stage.js';

type Cluster = Awaited<ReturnType<Awaited<ReturnType<typeof redisClusters>>['startOwnRedisCluster']>>;

export interface ClusterStage extends Stage {
  readonly cluster: Cluster;
  readonly mover: SlotMover;
}

export async function openCluster(): Promise<ClusterStage> {
  const { startOwnRedisCluster } = await redisClusters();
  const cluster = await startOwnRedisCluster(keepsAlways);
  const admin = adminOf(`redis://127.0.0.1:${cluster.nodes[0]!.port}`);
  const version = await versionOf(admin);
  admin.disconnect();
  const mover = new SlotMover(cluster.url);
  return {
    backend: 'redis-cluster',
    version: `Redis ${version}, 3 primaries, appendfsync always`,
    address: { redis: { url: cluster.url } },
    cluster,
    mover,
    async close() {
      mover.close();
      await cluster.stop();
    },
  };
}
