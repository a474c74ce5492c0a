import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisStage } from '../stages/redis-stage.js';
import type { Fault } from './fault.js';
import { wasRefused } from './happened.js';

/** No room for more: what is there goes on, what is new is refused. */
export const redisMemory: Fault = {
  name: 'Redis out of memory (maxmemory)',
  backends: ['redis'],
  short: ['redis'],
  isCheap: true,
  costsNothing: true,
  hurtsServer: true,
  happened: wasRefused,
  async inject({ stage, pace }) {
    const { admin } = stage as RedisStage;
    await admin.config('SET', 'maxmemory', '1');
    await sleep(1.2 * pace.leaseMs);
    await admin.config('SET', 'maxmemory', '0');
  },
};
