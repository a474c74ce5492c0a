import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { redisBackend, type RedisBackendOptions } from 'nestjs-jobs/redis';
import { startApp, type TestApp } from '../support/app.js';
import { adminOf, ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { TcpProxy } from '../support/tcp-proxy.js';
import { newPrefix } from './fixtures/redis-jobs.js';

let server: OwnRedis;
let admin: Redis;
beforeAll(async () => {
  server = await ownRedis();
  admin = adminOf(server.url);
});

/** Sets the server up for one test. */
async function withSettings(settings: Record<string, string>): Promise<void> {
  const usual = { 'maxmemory-policy': 'noeviction', appendonly: 'no', appendfsync: 'everysec', save: '' };
  for (const [name, value] of Object.entries({ ...usual, ...settings }))
    await admin.config('SET', name, value);
}

async function boot(options: RedisBackendOptions = {}): Promise<TestApp & { durability?: string }> {
  const backend = redisBackend({ url: server.url, ...options });
  const app = await startApp({ options: { backend, prefix: newPrefix(), runner: false }, realTime: true });
  return { ...app, durability: backend.durability };
}

const said = ({ lines }: TestApp, level: string) =>
  lines.filter((line) => line.level === level && line.context === 'JobsModule').map(({ message }) => message);

describe('The boot on a Redis server', () => {
  it.each([
    ['none', { appendonly: 'no', save: '' }],
    ['snapshots', { appendonly: 'no', save: '3600 1' }],
    ['snapshots', { appendonly: 'yes', appendfsync: 'no' }],
    ['everysec', { appendonly: 'yes', appendfsync: 'everysec' }],
    ['always', { appendonly: 'yes', appendfsync: 'always' }],
  ])('finds the durability %s, says it and lets it be read', async (level, settings) => {
    await withSettings(settings);
    const app = await boot();
    expect(app.durability).toBe(level);
    expect(said(app, 'log')).toEqual([expect.stringContaining(`durability ${level}`)]);
  });

  it('warns where nothing is kept on disk, and says what to set', async () => {
    await withSettings({ save: '' });
    expect(said(await boot(), 'warn')).toEqual([
      expect.stringMatching(/keeps nothing on disk.*loses every task.*appendonly yes/),
    ]);
  });

  it('warns where keys may be evicted, and says what to set', async () => {
    await withSettings({ appendonly: 'yes', 'maxmemory-policy': 'allkeys-lru' });
    expect(said(await boot(), 'warn')).toEqual([
      expect.stringMatching(/'allkeys-lru'.*may delete tasks.*maxmemory-policy noeviction/),
    ]);
  });

  it('warns of nothing where tasks are kept', async () => {
    await withSettings({ appendonly: 'yes' });
    expect(said(await boot(), 'warn')).toEqual([]);
  });

  it.each([
    ['cannot be used with strict: it keeps nothing on disk', { save: '' }],
    [
      "cannot be used with strict: its eviction policy is 'volatile-ttl'",
      { appendonly: 'yes', 'maxmemory-policy': 'volatile-ttl' },
    ],
  ])('stops with strict and says that the server %s', async (why, settings) => {
    await withSettings(settings);
    await expect(boot({ strict: true })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringContaining(why),
    });
  });

  it('goes on with strict where tasks are kept', async () => {
    await withSettings({ appendonly: 'yes', appendfsync: 'always' });
    expect((await boot({ strict: true })).durability).toBe('always');
  });

  it('stops where the database does not exist', async () => {
    await expect(boot({ url: `${server.url}/99` })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ cannot be used: it has no database/),
    });
  });

  it('stops where the server is older than 6.2', async () => {
    const proxy = await TcpProxy.to(server.port);
    proxy.changeReplies((reply) => reply.replace(/redis_version:\d\.\d/, 'redis_version:6.0'));
    await expect(boot({ url: proxy.url })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/its version 6\.0\S* is too old, 6\.2 or newer is needed/),
    });
  });

  it('stops where the server is a replica', async () => {
    const replica = await ownRedis(['--replicaof', '127.0.0.1', String(server.port)]);
    await expect(boot({ url: replica.url })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringContaining('READONLY'),
    });
  });

  it('stops where no Sentinel can be reached, instead of asking for ever', async () => {
    const options = { sentinels: [{ host: '127.0.0.1', port: 1 }], name: 'tasks' };
    await expect(boot({ url: undefined, options })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(
        /redis 'tasks' by sentinel cannot be used: All sentinels are unreachable/,
      ),
    });
  });

  it('leaves nothing behind on the server', async () => {
    await boot();
    expect([await admin.dbsize(), await admin.pubsub('CHANNELS')]).toEqual([0, []]);
  });
});

describe('The boot on a Redis cluster', () => {
  it('looks at every primary', async () => {
    const app = await boot({ url: process.env.TEST_REDIS_CLUSTER_URL! });
    expect(app.durability).toBe('none');
    expect(said(app, 'warn')).toEqual([expect.stringMatching(/^redis cluster at .* keeps nothing on disk/)]);
  });
});

describe('A password that the server refuses', () => {
  const secret = 'hunter2-and-more';
  let guarded: OwnRedis;
  beforeAll(async () => {
    guarded = await ownRedis(['--requirepass', 'the-right-one', '--save', '']);
  });

  it.each([
    ['alone', `redis://:${secret}@`],
    ['with a user', `redis://someone:${secret}@`],
  ])('stops the boot, given %s, and is shown nowhere', async (_, start) => {
    const backend = `${start}127.0.0.1:${guarded.port}`;
    const { app, lines } = await startApp({ options: { backend }, realTime: true, init: false });
    const error: unknown = await app.init().catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/cannot be used: it does not accept the user name and password/),
    });
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify([error, lines]);
    expect(shown).not.toContain(secret);
  });

  it('stops the boot where none is given and one is asked for', async () => {
    await expect(boot({ url: guarded.url })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/asks for a password, and none was given/),
    });
  });
});
