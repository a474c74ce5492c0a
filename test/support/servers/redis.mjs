// A Redis (or Valkey) server for a test run.
import { createConnection } from 'node:net';
import { findProgram, freePort, startServer } from './machine.mjs';

/** Where REDIS_URL is set that server is used, and left as it is. */
export async function startRedis(settings = ['--save', '', '--appendonly', 'no']) {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  const program = findProgram(['redis-server', 'valkey-server'], 'redis-server');
  const port = await freePort();
  const server = startServer(program, (folder) => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'],
    ...settings,
  ]);
  await answers(port);
  return { url: `redis://127.0.0.1:${port}`, stop: server.stop };
}

/** Waits until a server answers on that port. */
export async function answers(port, withinMs = 10_000) {
  const until = Date.now() + withinMs;
  for (;;) {
    const isThere = await new Promise((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write('PING\r\n'));
      socket.once('data', (data) => resolve(String(data).startsWith('+PONG')));
      socket.once('error', () => resolve(false));
      socket.setTimeout(1_000, () => resolve(false));
    });
    if (isThere) return;
    if (Date.now() > until) throw new Error(`redis did not answer on port ${port} within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
