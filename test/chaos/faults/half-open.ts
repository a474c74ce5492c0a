import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { injected } from './happened.js';

/** The connections of all processes stay open and say nothing any more; only new ones work. */
export const halfOpen: Fault = {
  name: 'half-open connections',
  backends: servers,
  isCheap: true,
  isProxied: true,
  happened: injected('half-open connections', 4),
  async inject({ crew, pace, notebook }) {
    const isBack = crew.cutOff(crew.alive);
    for (const { way } of crew.alive) {
      way!.hold('both');
      way!.pass();
    }
    const count = crew.alive.reduce((sum, { way }) => sum + way!.held, 0);
    notebook.note({ type: 'injected', what: 'half-open connections', count });
    // Nobody tells them: each must find out by itself.
    await sleep(2 * pace.leaseMs);
    isBack();
  },
};
