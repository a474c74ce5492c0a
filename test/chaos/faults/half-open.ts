import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';
import { injected } from './happened.js';
import { proxied } from './partitions.js';

/** The connections of all processes stay open and say nothing any more; only new ones work. */
export const halfOpen: Fault = {
  name: 'half-open connections',
  backends: proxied,
  isCheap: true,
  isProxied: true,
  happened: injected('half-open connections', 4),
  async inject({ crew, pace, notebook }) {
    const isBack = crew.cutOff(crew.alive);
    for (const { proxy } of crew.alive) {
      proxy!.hold('both');
      proxy!.pass();
    }
    const count = crew.alive.reduce((sum, { proxy }) => sum + proxy!.held, 0);
    notebook.note({ type: 'injected', what: 'half-open connections', count });
    // Nobody tells them: each must find out by itself.
    await sleep(2 * pace.leaseMs);
    isBack();
  },
};
