import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedisStore } from '../support/redis-store.js';
import { describeProperty } from './conformance/property.js';

let client: Redis;
beforeAll(() => {
  client = new Redis(process.env.TEST_REDIS_URL!);
});
afterAll(() => client.quit());

describeProperty('redis', (settings) => openRedisStore(settings, client), { runs: 100, steps: 50 });
