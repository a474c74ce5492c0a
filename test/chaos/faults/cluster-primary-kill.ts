import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterStage } from '../stages/cluster-stage.js';
import type { Fault } from './fault.js';
import { injected } from './happened.js';

/** kill -9 of one primary, which comes back with what it had; the queues of the others go on. */
export const clusterPrimaryKill: Fault = {
  name: 'Cluster primary killed and restarted',
  backends: ['redis-cluster'],
  hurtsServer: true,
  happened: injected('primaries killed'),
  async inject({ crew, stage, random, pace, notebook }) {
    const node = random.pick((stage as ClusterStage).cluster.nodes);
    const isBack = crew.cutOff(crew.alive);
    await node.kill('SIGKILL');
    notebook.note({ type: 'injected', what: 'primaries killed', count: 1 });
    await sleep(random.between(0.2, 1.3) * pace.leaseMs);
    await node.restart();
    // A node takes some moments to find its place again, and clients to find the node.
    await sleep(pace.leaseMs);
    isBack();
  },
};
