import { ourSystems } from '../../side-by-side/child/our-systems.js';
import type { Systems } from '../../side-by-side/child/stage.js';
import { raw } from '../../side-by-side/system.js';

export const systems: Systems = {
  ...ourSystems,
  BullMQ: async () => (await import('./bullmq.js')).bullmq,
  'pg-boss': async () => (await import('./pg-boss.js')).pgBoss,
  'graphile-worker': async () => (await import('./graphile-worker.js')).graphileWorker,
  'graphile tuned': async () => (await import('./graphile-worker.js')).graphileTuned,
  [raw]: async () => (await import('./raw.js')).rawPostgres,
};
