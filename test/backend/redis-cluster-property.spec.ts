import { afterAll, beforeAll } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { clusterClient } from '../support/redis-cluster.js';
import { openRedisStore } from '../support/redis-store.js';
import { describeProperty } from './conformance/property.js';
import { describeScheduleProperty } from './conformance/property-schedules.js';
import type { OpenStore } from './conformance/setup.js';

const url = process.env.TEST_REDIS_CLUSTER_URL!;
let client: Cluster;
beforeAll(() => {
  client = clusterClient(url);
});
afterAll(() => client.disconnect());

const open: OpenStore = (settings) => openRedisStore(settings, client, url);

describeProperty('redis cluster', open, { runs: 50, steps: 50 });
describeScheduleProperty('redis cluster', open, { runs: 50, steps: 50 });
