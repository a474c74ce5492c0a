import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { redisBackend } from '../../lib/backend/redis/redis-backend.js';
import { eventually, startApp } from '../support/app.js';
import { namesOnServer, threads } from './fixtures/lease-threads.js';

describe('An idle runner with a lease thread', () => {
  it('sends fewer than one command per second for 50 queues, and leaves no thread and no connection', async () => {
    const servers = await import(join(process.cwd(), 'test/support/servers/machine.mjs'));
    const port: number = await servers.freePort();
    const program: string = servers.findProgram(['redis-server', 'valkey-server'], 'redis-server');
    const server = servers.startServer(program, (folder: string) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    ]);
    const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
    client.on('error', () => undefined);
    try {
      await eventually(() => client.status === 'ready');
      const before = threads();
      const { app } = await startApp({
        options: {
          backend: redisBackend({ url: `redis://127.0.0.1:${port}` }),
          runner: { lease: '1s', queues: Array.from({ length: 50 }, (_, n) => `q${n}`) },
        },
        realTime: true,
      });
      await eventually(async () => (await namesOnServer(client)).includes('jobs:leases'));
      expect(threads()).toBe(before + 1);
      // Each read is a command, or several at once.
      const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await client.info('stats'))![1]);
      const [readsBefore, beganAt] = [await reads(), Date.now()];
      await eventually(() => Date.now() - beganAt > 10_000);
      const own = 1;
      const sent = (await reads()) - readsBefore - own;
      expect(sent).toBeGreaterThan(0);
      expect(sent / ((Date.now() - beganAt) / 1_000)).toBeLessThan(1);

      // A server that hangs does not hold up the end.
      const hangMs = 20_000;
      const pausedAt = Date.now();
      await client.client('PAUSE', hangMs, 'ALL');
      await app.close();
      expect(threads()).toBe(before);
      expect(Date.now() - pausedAt).toBeLessThan(hangMs);
      await eventually(async () => (await namesOnServer(client)).length === 1);
    } finally {
      client.disconnect();
      await server.stop();
    }
  }, 120_000);
});
