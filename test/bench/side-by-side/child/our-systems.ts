import { ours, variants } from '../system.js';
import type { Kind } from './nestjs-jobs.js';
import type { Systems } from './stage.js';

const load = (kind: Kind) => async () => (await import('./nestjs-jobs.js')).nestjsJobs(kind);

/** This library plain, and with what a job may have beside a handler. */
export const ourSystems: Systems = {
  [ours]: load('plain'),
  [variants.params]: load('params'),
  [variants.interceptor]: load('interceptor'),
  [variants.unique]: load('unique'),
};
