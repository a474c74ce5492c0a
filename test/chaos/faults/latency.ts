import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';
import { proxied } from './partitions.js';

/** Every request and every answer takes longer, but within the lease: nothing may be lost by that. */
export const latency: Fault = {
  name: 'added latency',
  backends: proxied,
  isCheap: true,
  costsNothing: true,
  isProxied: true,
  async inject({ crew, random, pace }) {
    const delayMs = random.between(0.02, 0.06) * pace.leaseMs;
    const all = crew.alive;
    for (const { proxy } of all) proxy!.delayMs = delayMs;
    await sleep(2 * pace.leaseMs);
    for (const { proxy } of all) proxy!.delayMs = 0;
  },
};
