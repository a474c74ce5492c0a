import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';

/** Handlers that block the event loop for longer than a lease, which a thread renews meanwhile. */
export const blockedLoop: Fault = {
  name: 'blocked event loop',
  backends: servers,
  isCheap: true,
  costsNothing: true,
  async inject({ crew, pace }) {
    await crew.producer.ask('also', { kind: 'Blocking', times: 2 });
    await sleep(2 * pace.leaseMs);
  },
};
