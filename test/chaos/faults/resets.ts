import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { injected } from './happened.js';

/** Connections are reset in the middle of a reply, again and again. */
export const resets: Fault = {
  name: 'resets in mid-reply',
  backends: servers,
  short: ['redis'],
  isCheap: true,
  isProxied: true,
  happened: injected('connections reset', 5),
  async inject({ crew, random, notebook }) {
    for (let time = 0; time < 5; time++) {
      const isBack = crew.cutOff(crew.alive);
      for (const { way } of crew.alive) way!.resetInReply();
      await sleep(random.between(50, 500));
      isBack();
    }
    const count = crew.alive.reduce((sum, { way }) => sum + way!.resets, 0);
    notebook.note({ type: 'injected', what: 'connections reset', count });
  },
};
