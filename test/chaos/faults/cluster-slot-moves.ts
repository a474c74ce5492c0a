import { setTimeout as sleep } from 'node:timers/promises';
import { clusterClient, slotOfQueue } from '../../support/redis-cluster.js';
import type { ClusterStage } from '../stages/cluster-stage.js';
import type { Fault } from './fault.js';
import { injected } from './happened.js';

/** The slots of all queues go from node to node, one after the other, while all goes on. */
export const clusterSlotMoves: Fault = {
  name: 'Cluster slots moved',
  backends: ['redis-cluster'],
  isCheap: true,
  costsNothing: true,
  hurtsServer: true,
  happened: injected('slots moved', 6),
  async inject({ stage, notebook }) {
    const { cluster, mover } = stage as ClusterStage;
    const client = clusterClient(cluster.url);
    try {
      for (const queue of ['red', 'green', 'blue', 'red', 'green', 'blue']) {
        await mover.moveOn(await slotOfQueue(client, queue));
        notebook.note({ type: 'injected', what: 'slots moved', count: 1 });
        await sleep(200);
      }
    } finally {
      client.disconnect();
    }
  },
};
