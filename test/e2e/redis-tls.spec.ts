import { beforeAll, describe, expect, it } from '@jest/globals';
import { redisBackend, type RedisBackendOptions } from 'nestjs-jobs/redis';
import { eventually, startApp } from '../support/app.js';
import { makeCertificates } from '../support/certificates.js';
import { ownRedis } from '../support/own-redis.js';
import type { OwnRedis } from '../support/servers/redis.mjs';
import { counting, isDone, newPrefix } from './fixtures/redis-jobs.js';

let server: OwnRedis;
let authority: string;
beforeAll(async () => {
  const certificates = makeCertificates();
  authority = certificates.authority;
  server = await ownRedis(['--save', '', ...certificates.settings], { isSecure: true });
});

const boot = (options: RedisBackendOptions) =>
  startApp({ options: { backend: redisBackend(options), runner: false }, realTime: true });

describe('A Redis server that speaks TLS, with a certificate of an authority of our own', () => {
  it('is used by rediss:// where the authority is named', async () => {
    expect(server.url).toMatch(/^rediss:/);
    const { Counting, runs, queue } = counting();
    const backend = redisBackend({ url: server.url, options: { tls: { ca: authority } } });
    const { jobs, catalog } = await startApp({
      providers: [Counting],
      options: { backend, prefix: newPrefix() },
      realTime: true,
    });
    await jobs.enqueue(Counting, 1);
    await eventually(() => runs.length === 1);
    await eventually(() => isDone(catalog, queue));
  });

  it('stops the boot where the authority is not named, and says what to name', async () => {
    await expect(boot({ url: server.url })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(
        /its certificate is not trusted \([A-Z_]+\); name its authority in options\.tls\.ca/,
      ),
    });
  });

  it('stops the boot where it is spoken to without TLS', async () => {
    await expect(boot({ url: `redis://127.0.0.1:${server.port}` })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ cannot be used: .* write rediss:\/\//),
    });
  });

  it('is told apart from one that does not', async () => {
    const plain = process.env.TEST_REDIS_URL!.replace(/^redis:/, 'rediss:');
    await expect(boot({ url: plain })).rejects.toMatchObject({
      code: 'UNUSABLE_STORE',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ cannot be used: .*does not speak TLS/),
    });
  });
});
