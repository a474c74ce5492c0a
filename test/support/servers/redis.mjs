// A Redis (or Valkey) server for a test run, or for one spec.
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { findProgram, freePort, startServer } from './machine.mjs';

/** Where REDIS_URL is set that server is used, and left as it is. */
export async function startRedis(settings = ['--save', '', '--appendonly', 'no']) {
  if (process.env.REDIS_URL) return { url: process.env.REDIS_URL, stop: async () => {} };
  return startOwnRedis(settings);
}

/** A server that whoever starts it may also kill, stop and start again, on the same port and with the same data. */
export async function startOwnRedis(settings, { settingsFile, isSecure = false, place } = {}) {
  const program = findProgram(['redis-server', 'valkey-server'], 'redis-server');
  const port = await freePort();
  const argsFor = (folder) => [
    ...(settingsFile === undefined ? [] : [writeSettings(folder, settingsFile)]),
    ...(isSecure ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)]),
    ...['--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'],
    ...settings,
  ];
  const server = startServer(program, argsFor, { place });
  const isReady = () => (isSecure ? opens(port) : answers(port));
  await isReady();
  return {
    url: `${isSecure ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    port,
    kill: server.kill,
    stop: server.stop,
    /** Resolves as soon as the port is open where `isLoading`, else when the data is loaded. */
    async restart({ isLoading = false } = {}) {
      server.restart();
      await (isLoading ? opens(port) : isReady());
    },
  };
}

function writeSettings(folder, text) {
  const file = join(folder, 'redis.conf');
  writeFileSync(file, text);
  return file;
}

/** Waits until a server answers on that port. */
export const answers = (port) =>
  reached(port, (socket, tell) => {
    socket.once('data', (data) => tell(/^(\+PONG|-NOAUTH)/.test(String(data))));
    socket.write('PING\r\n');
  });

const opens = (port) => reached(port, (_, tell) => tell(true));

async function reached(port, ask, withinMs = 30_000) {
  const until = Date.now() + withinMs;
  while (!(await reach(port, ask))) {
    if (Date.now() > until) throw new Error(`redis did not answer on port ${port} within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function reach(port, ask) {
  const socket = createConnection({ port, host: '127.0.0.1' });
  try {
    return await new Promise((tell) => {
      socket.once('connect', () => ask(socket, tell));
      socket.once('error', () => tell(false));
      socket.setTimeout(1_000, () => tell(false));
    });
  } finally {
    socket.destroy();
  }
}
