import { runChild } from '../../side-by-side/child/run-child.js';
import { openProbe } from './probe.js';

await runChild(
  {
    'nestjs-jobs': async () => (await import('../../side-by-side/child/nestjs-jobs.js')).nestjsJobs,
    BullMQ: async () => (await import('./bullmq.js')).bullmq,
    'pg-boss': async () => (await import('./pg-boss.js')).pgBoss,
    'graphile-worker': async () => (await import('./graphile-worker.js')).graphileWorker,
    'graphile tuned': async () => (await import('./graphile-worker.js')).graphileTuned,
  },
  openProbe,
);
