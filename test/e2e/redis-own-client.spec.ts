import { describe, expect, it } from '@jest/globals';
import { redisBackend } from 'nestjs-jobs/redis';
import { eventually, startApp } from '../support/app.js';
import { adminOf } from '../support/own-redis.js';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

const url = process.env.TEST_REDIS_URL!;
const admin = adminOf(url);

const connectionsNamed = async (name: string) =>
  String(await admin.client('LIST'))
    .split('\n')
    .filter((line) => line.includes(`name=${name} `)).length;

describe("The application's own ioredis client", () => {
  it.each([
    ['as usual', {}],
    ['with replies of another shape', { replyMapping: 'resp3', stringNumbers: true } as const],
    ['with the older protocol', { protocol: 2 } as const],
  ])('says where to connect, %s, and is left open when the application closes', async (_, options) => {
    const connectionName = newPrefix();
    const client = adminOf(url, { ...options, connectionName });
    const { Counting, runs, queue } = counting();
    const { app, jobs, catalog } = await startApp({
      providers: [Counting],
      options: { backend: redisBackend({ client }), prefix: newPrefix(), runner: { pollInterval: '10m' } },
      realTime: true,
    });
    for (let n = 1; n <= 3; n++) {
      await jobs.enqueue(Counting, n);
      await eventually(() => runs.length === n);
    }
    await eventually(() => isDone(catalog, queue));
    expect(await catalog.queueNames()).toEqual([queue]);
    expect(await connectionsNamed(connectionName)).toBeGreaterThan(1);
    expect(await connectionsNamed(connectionName)).toBeLessThanOrEqual(4);
    await app.close();
    await eventually(async () => (await connectionsNamed(connectionName)) === 1);
    expect(client.status).toBe('ready');
    expect(await client.ping()).toBe('PONG');
  });
});
