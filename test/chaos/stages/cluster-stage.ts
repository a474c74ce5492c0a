import { SlotMover } from '../../support/redis-cluster.js';
import { adminOf, keepsAlways, versionOf } from './redis-stage.js';
import { redisClusters } from './server-programs.js';
import type { Stage } from './stage.js';

type Cluster = Awaited<ReturnType<Awaited<ReturnType<typeof redisClusters>>['startOwnRedisCluster']>>;

export interface ClusterStage extends Stage {
  readonly cluster: Cluster;
  readonly mover: SlotMover;
}

export async function openCluster(failoverMs?: number): Promise<ClusterStage> {
  const { startOwnRedisCluster } = await redisClusters();
  const cluster = await startOwnRedisCluster(keepsAlways, { failoverMs });
  const admin = adminOf(`redis://127.0.0.1:${cluster.nodes[0]!.port}`);
  const version = await versionOf(admin);
  admin.disconnect();
  const ports = cluster.nodes.map(({ port }) => port);
  const mover = new SlotMover(cluster.url);
  return {
    backend: 'redis-cluster',
    version: `Redis ${version}, 3 primaries${failoverMs === undefined ? '' : ' with a replica each'}, appendfsync always`,
    address: { redis: { url: cluster.url } },
    ports,
    cluster,
    mover,
    probe: { kind: 'redis', ports },
    async close() {
      mover.close();
      await cluster.stop();
    },
  };
}
