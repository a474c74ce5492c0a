import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';
import { injected } from './happened.js';
import { proxied } from './partitions.js';

/** Connections are reset in the middle of a reply, again and again. */
export const resets: Fault = {
  name: 'resets in mid-reply',
  backends: proxied,
  short: ['redis'],
  isCheap: true,
  isProxied: true,
  happened: injected('connections reset', 5),
  async inject({ crew, random, notebook }) {
    for (let time = 0; time < 5; time++) {
      const isBack = crew.cutOff(crew.alive);
      for (const { proxy } of crew.alive) proxy!.resetInReply();
      await sleep(random.between(50, 500));
      isBack();
    }
    const count = crew.alive.reduce((sum, { proxy }) => sum + proxy!.resets, 0);
    notebook.note({ type: 'injected', what: 'connections reset', count });
  },
};
