import { afterAll, beforeAll } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { clusterClient } from '../support/redis-cluster.js';
import { openRedisStore } from '../support/redis-store.js';
import { describeConformance } from './conformance/conformance.js';

const url = process.env.TEST_REDIS_CLUSTER_URL!;
let client: Cluster;
beforeAll(() => {
  client = clusterClient(url);
});
afterAll(() => client.disconnect());

describeConformance('redis cluster', (settings) => openRedisStore(settings, client, url));
