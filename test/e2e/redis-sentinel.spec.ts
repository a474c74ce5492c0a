import { beforeAll, describe, expect, it } from '@jest/globals';
import { EnqueueFailedError } from 'nestjs-jobs';
import { redisBackend } from 'nestjs-jobs/redis';
import { eventually, startApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

let primary: OwnRedis;
let replica: OwnRedis;
let sentinel: OwnRedis;
beforeAll(async () => {
  primary = await ownRedis();
  replica = await ownRedis(['--save', '', '--replicaof', '127.0.0.1', String(primary.port)]);
  const settingsFile = `
sentinel monitor tasks 127.0.0.1 ${primary.port} 1
sentinel down-after-milliseconds tasks 3000
sentinel failover-timeout tasks 5000
`;
  sentinel = await ownRedis(['--sentinel'], { settingsFile });
  const asked = adminOf(sentinel.url);
  const following = adminOf(replica.url);
  await eventually(async () =>
    String(await asked.call('SENTINEL', ['REPLICAS', 'tasks'])).includes(String(replica.port)),
  );
  await eventually(async () => /master_link_status:up/.test(await following.info('replication')));
});

describe('A Redis primary that Sentinel names', () => {
  it('is followed by its replica when it is killed, and the application goes on by itself', async () => {
    const { Counting, runs, queue } = counting();
    const options = { sentinels: [{ host: '127.0.0.1', port: sentinel.port }], name: 'tasks' };
    const { jobs, catalog } = await startApp({
      providers: [Counting],
      options: {
        backend: redisBackend({ options }),
        prefix: newPrefix(),
        runner: { lease: '5s', pollInterval: '500ms' },
        enqueueTimeout: '1s',
      },
      realTime: true,
    });
    await jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    await eventually(() => isDone(catalog, queue));
    await jobs.enqueue(Counting, 2, { in: '3s' });
    // What the replica has not got when its primary dies is lost to it: that is Redis's own promise.
    const { waiting, scheduled } = await catalog.counts(queue);
    expect(waiting + scheduled).toBe(1);
    const followed = adminOf(replica.url);
    await eventually(async () => (await followed.keys('*:scheduled')).length === 1);
    await primary.kill('SIGKILL');

    await expect(jobs.enqueue(Counting, 3)).rejects.toBeInstanceOf(EnqueueFailedError);
    await eventually(() =>
      jobs.enqueue(Counting, 4).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => runs.includes(2) && runs.includes(4));
    await eventually(() => isDone(catalog, queue));
    expect(await followed.call('ROLE')).toContain('master');
  });
});
