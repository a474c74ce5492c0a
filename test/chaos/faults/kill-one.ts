import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { wasRecovered } from './happened.js';

/** kill -9 of one worker; a new one comes soon. */
export const killOne: Fault = {
  name: 'kill -9 of a worker',
  backends: servers,
  short: ['redis-cluster'],
  isCheap: true,
  happened: wasRecovered,
  async inject({ crew, random, pace }) {
    await (await crew.busyWorker(random)).kill();
    await sleep(random.between(0, pace.leaseMs / 2));
    await crew.startWorker();
  },
};
