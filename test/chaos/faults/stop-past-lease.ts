import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../notebook.js';
import { servers, type Fault } from './fault.js';
import { lostItsLease } from './happened.js';

/** SIGSTOP until others have taken over, then SIGCONT: it goes on as if it still had its leases. */
export const stopPastLease: Fault = {
  name: 'SIGSTOP past the lease',
  backends: servers,
  short: ['redis'],
  isCheap: true,
  happened: lostItsLease,
  async inject({ crew, random, pace, notebook }) {
    const worker = await crew.busyWorker(random);
    const sinceAt = now();
    worker.signal('SIGSTOP');
    await sleep(random.between(1.3, 2) * pace.leaseMs);
    worker.signal('SIGCONT');
    notebook.note({ type: 'stalled', process: worker.name, forMs: now() - sinceAt }, sinceAt);
    await sleep(pace.sweepMs);
  },
};
