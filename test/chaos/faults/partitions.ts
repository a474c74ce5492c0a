import { setTimeout as sleep } from 'node:timers/promises';
import type { Silence } from '../../support/network-proxy.js';
import { servers, type Fault, type Scene } from './fault.js';
import { all, injected, lostItsLease } from './happened.js';

const heldConnections = 'connections that fell silent';

/** Nothing comes through to one worker for longer than its lease; then its connections end, and new ones are made. */
async function silence({ crew, random, pace, notebook }: Scene, what: Silence): Promise<void> {
  const worker = await crew.busyWorker(random);
  const isBack = crew.cutOff([worker]);
  worker.way!.hold(what);
  notebook.note({ type: 'injected', what: heldConnections, count: worker.way!.held });
  await sleep(random.between(1.3, 2) * pace.leaseMs);
  worker.way!.pass();
  worker.way!.cut();
  await sleep(pace.sweepMs);
  isBack();
}

export const partition: Fault = {
  name: 'partition, both ways',
  backends: servers,
  short: ['redis'],
  isCheap: true,
  isProxied: true,
  happened: all(injected(heldConnections), lostItsLease),
  inject: (scene) => silence(scene, 'both'),
};

export const oneWayPartition: Fault = {
  name: 'partition, one way',
  backends: servers,
  isCheap: true,
  isProxied: true,
  happened: all(injected(heldConnections, 2), lostItsLease),
  async inject(scene) {
    const ways = ['requests', 'replies'] as const;
    for (const what of scene.pace.isShort ? [scene.random.pick(ways)] : ways) await silence(scene, what);
  },
};
