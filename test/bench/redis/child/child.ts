import { runChild } from '../../side-by-side/child/run-child.js';
import { openProbe } from './probe.js';

await runChild(
  {
    'nestjs-jobs': async () => (await import('../../side-by-side/child/nestjs-jobs.js')).nestjsJobs,
    BullMQ: async () => (await import('./bullmq.js')).bullmq,
    'bee-queue': async () => (await import('./bee-queue.js')).beeQueue,
  },
  openProbe,
);
