import { setTimeout as sleep } from 'node:timers/promises';
import type { Silence } from '../../support/network-proxy.js';
import type { BackendName } from '../stages/stage.js';
import type { Fault, Scene } from './fault.js';

/** Nodes of a cluster name each other by address, past any proxy. */
export const proxied: readonly BackendName[] = ['redis', 'postgres'];

/** Nothing comes through to one worker for longer than its lease; then its connections end, and new ones are made. */
async function silence({ crew, random, pace }: Scene, what: Silence): Promise<void> {
  const worker = random.pick(crew.workers);
  const isBack = crew.cutOff([worker]);
  worker.proxy!.hold(what);
  await sleep(random.between(1.3, 2) * pace.leaseMs);
  worker.proxy!.pass();
  worker.proxy!.cut();
  await sleep(pace.sweepMs);
  isBack();
}

export const partition: Fault = {
  name: 'partition, both ways',
  backends: proxied,
  short: ['redis'],
  isCheap: true,
  isProxied: true,
  inject: (scene) => silence(scene, 'both'),
};

export const oneWayPartition: Fault = {
  name: 'partition, one way',
  backends: proxied,
  isCheap: true,
  isProxied: true,
  inject: (scene) => silence(scene, scene.random.pick(['requests', 'replies'] as const)),
};
