import { afterAll, beforeAll } from '@jest/globals';
import { Redis } from 'ioredis';
import { openRedisStore } from '../support/redis-store.js';
import { describeConformance } from './conformance/conformance.js';

let client: Redis;
beforeAll(() => {
  client = new Redis(process.env.TEST_REDIS_URL!);
});
afterAll(() => client.quit());

describeConformance('redis', (settings) => openRedisStore(settings, client));
