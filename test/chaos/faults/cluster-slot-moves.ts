import { setTimeout as sleep } from 'node:timers/promises';
import { clusterClient, slotOfQueue } from '../../support/redis-cluster.js';
import type { ClusterStage } from '../stages/cluster-stage.js';
import type { Fault } from './fault.js';

/** The slots of all queues go from node to node, one after the other, while all goes on. */
export const clusterSlotMoves: Fault = {
  name: 'Cluster slots moved',
  backends: ['redis-cluster'],
  isCheap: true,
  costsNothing: true,
  hurtsServer: true,
  async inject({ stage }) {
    const { cluster, mover } = stage as ClusterStage;
    const client = clusterClient(cluster.url);
    try {
      for (const queue of ['red', 'green', 'blue', 'red', 'green', 'blue']) {
        await mover.moveOn(await slotOfQueue(client, queue));
        await sleep(200);
      }
    } finally {
      client.disconnect();
    }
  },
};
