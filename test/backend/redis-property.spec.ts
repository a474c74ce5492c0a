import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedisStore } from '../support/redis-store.js';
import { describeProperty } from './conformance/property.js';
import { describeScheduleProperty } from './conformance/property-schedules.js';
import type { OpenStore } from './conformance/setup.js';

let client: Redis;
beforeAll(() => {
  client = new Redis(process.env.TEST_REDIS_URL!);
});
afterAll(() => client.quit());

const open: OpenStore = (settings) => openRedisStore(settings, client);

describeProperty('redis', open, { runs: 100, steps: 50 });
describeScheduleProperty('redis', open, { runs: 100, steps: 50 });
