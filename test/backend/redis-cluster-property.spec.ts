import { afterAll, beforeAll } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { clusterClient } from '../support/redis-cluster.js';
import { openRedisStore } from '../support/redis-store.js';
import { describeProperty } from './conformance/property.js';

const url = process.env.TEST_REDIS_CLUSTER_URL!;
let client: Cluster;
beforeAll(() => {
  client = clusterClient(url);
});
afterAll(() => client.disconnect());

describeProperty('redis cluster', (settings) => openRedisStore(settings, client, url), {
  runs: 100,
  steps: 50,
});
