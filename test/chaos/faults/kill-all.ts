import { setTimeout as sleep } from 'node:timers/promises';
import { servers, type Fault } from './fault.js';
import { wasRecovered } from './happened.js';

/** kill -9 of every worker at once; for a while nobody is there. */
export const killAll: Fault = {
  name: 'kill -9 of all workers',
  backends: servers,
  short: ['postgres'],
  isCheap: true,
  happened: wasRecovered,
  async inject({ crew, random, pace }) {
    await crew.busyWorker(random);
    await Promise.all(crew.workers.map((worker) => worker.kill()));
    await sleep(random.between(0, pace.leaseMs));
    await Promise.all(Array.from({ length: pace.workers }, () => crew.startWorker()));
  },
};
