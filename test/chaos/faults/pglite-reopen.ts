import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.js';
import { wasRecovered } from './happened.js';

/** kill -9 of the only process, which has the database in it; the next one finds it on disk. */
export const pgliteReopen: Fault = {
  name: 'kill -9 of the only process, reopened',
  backends: ['pglite'],
  short: ['pglite'],
  isCheap: true,
  hurtsServer: true,
  happened: wasRecovered,
  async inject({ crew, random, pace }) {
    for (let time = 0; time < (pace.isShort ? 1 : 2); time++) {
      await (await crew.busyWorker(random)).kill();
      await sleep(random.between(0, pace.leaseMs / 2));
      await crew.startAlone();
    }
  },
};
