import { setTimeout as sleep } from 'node:timers/promises';
import { nodesOf } from '../../support/redis-cluster.js';
import { now } from '../notebook.js';
import { openCluster, type ClusterStage } from '../stages/cluster-stage.js';
import { adminOf } from '../stages/redis-stage.js';
import type { Fault } from './fault.js';
import { injected } from './happened.js';

const failoverMs = 1_000;
const withinMs = 60_000;

/** kill -9 of a primary, whose replica takes its place; what had not reached the replica may be lost. */
export const clusterFailover: Fault = {
  name: 'Cluster primary killed, replica promoted',
  backends: ['redis-cluster'],
  openStage: () => openCluster(failoverMs),
  happened: injected('promotions'),
  async inject({ crew, stage, random, notebook, pace }) {
    const { nodes, url } = (stage as ClusterStage).cluster;
    const node = random.pick(nodes);
    const other = nodesOf(url).find(({ port }) => port !== node.port)!;
    const admin = adminOf(`redis://${other.host}:${other.port}`);
    const sinceAt = now() - 1_000;
    const isBack = crew.cutOff(crew.alive);
    try {
      await node.kill('SIGKILL');
      const until = Date.now() + withinMs;
      while (!(await isPromoted(admin, node.port))) {
        if (Date.now() > until) throw new Error(`no replica was promoted within ${withinMs} ms`);
        await sleep(50);
      }
    } finally {
      admin.disconnect();
    }
    notebook.note({ type: 'injected', what: 'promotions', count: 1 });
    notebook.note({ type: 'forgot', sinceAt });
    // Clients take some moments to find the new owner.
    await sleep(pace.leaseMs);
    isBack();
  },
};

/** All slots have a living owner again, which the killed one is not. */
async function isPromoted(admin: ReturnType<typeof adminOf>, killed: number): Promise<boolean> {
  const ranges = await admin.cluster('SLOTS');
  const info = String(await admin.call('CLUSTER', 'INFO'));
  return ranges.every(([, , owner]) => owner![1] !== killed) && info.includes('cluster_slots_fail:0');
}
