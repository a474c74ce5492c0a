import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Cluster } from 'ioredis';
import { RedisBell } from '../../lib/backend/redis/redis-bell.js';
import { connect, makeClient } from '../../lib/backend/redis/redis-clients.js';
import { RedisClusterTasks } from '../../lib/backend/redis/redis-cluster-tasks.js';
import { RedisConnection } from '../../lib/backend/redis/redis-connection.js';
import { RedisKeys } from '../../lib/backend/redis/redis-keys.js';
import { plainListener } from '../../lib/backend/redis/redis-listener.js';
import { RedisSchedules } from '../../lib/backend/redis/redis-schedules.js';
import { redisTarget } from '../../lib/backend/redis/redis-target.js';
import { eventually } from '../support/app.js';
import { settings } from './conformance/setup.js';

const open: RedisConnection[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

/** What the backend makes of a cluster whose servers know no sharded channels. */
async function plainParts() {
  const target = redisTarget({ url: process.env.TEST_REDIS_CLUSTER_URL! });
  const client = makeClient(target) as Cluster;
  await connect(client, target);
  const connection = new RedisConnection(client, new RedisKeys('plain'), 5_000, 'plain');
  open.push(connection);
  const listener = plainListener(client);
  const bell = new RedisBell(connection, listener);
  listener.onMessage = (channel, message) => bell.heard(channel, message);
  const schedules = new RedisSchedules(connection, settings);
  return { bell, schedules, tasks: new RedisClusterTasks(connection, settings) };
}

describe('The bells of a cluster without sharded channels', () => {
  it('are heard whatever nodes ring and listen, by hand and from scripts', async () => {
    const [here, there] = [await plainParts(), await plainParts()];
    const queues = Array.from({ length: 6 }, () => `q-${randomUUID()}`);
    const heard: string[] = [];
    await here.bell.listen(queues, (queue, cancelledId) => heard.push(`${queue} ${cancelledId ?? ''}`));
    for (const queue of queues) there.bell.ring(queue, 'a');
    await eventually(() => heard.length === queues.length);
    expect(heard.toSorted()).toEqual(queues.map((queue) => `${queue} a`).toSorted());
    heard.length = 0;
    const task = { token: 't', job: 'Job', params: '{}', priority: 0, due: { inMs: 0 }, retries: 0 };
    await there.tasks.add(queues.map((queue) => [{ ...task, queue, id: randomUUID() }]));
    await eventually(() => heard.length === queues.length);
    expect(heard.toSorted()).toEqual(queues.map((queue) => `${queue} `).toSorted());
  });

  it('are heard for schedules', async () => {
    const [here, there] = [await plainParts(), await plainParts()];
    const queues = Array.from({ length: 6 }, () => `q-${randomUUID()}`);
    const heard: string[] = [];
    await here.bell.listenToSchedules(queues, (queue) => heard.push(queue));
    const schedule = { id: 'a', job: 'Job', rule: 'r', template: '{}', nextSlot: 1, isDeclared: false };
    for (const queue of queues) await there.schedules.put({ ...schedule, queue }, 'absent');
    await eventually(() => heard.length === queues.length);
    expect(heard.toSorted()).toEqual(queues.toSorted());
  });
});
