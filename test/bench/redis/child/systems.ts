import { ourSystems } from '../../side-by-side/child/our-systems.js';
import type { Systems } from '../../side-by-side/child/stage.js';
import { raw } from '../../side-by-side/system.js';

export const systems: Systems = {
  ...ourSystems,
  BullMQ: async () => (await import('./bullmq.js')).bullmq,
  '@nestjs/bullmq': async () => (await import('./nestjs-bullmq.js')).nestjsBullmq,
  'bee-queue': async () => (await import('./bee-queue.js')).beeQueue,
  [raw]: async () => (await import('./raw.js')).rawRedis,
};
