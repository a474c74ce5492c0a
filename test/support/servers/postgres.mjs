// A PostgreSQL server for a test run, or for one spec.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort, startServer } from './machine.mjs';
import { findPostgres } from './postgres-program.mjs';

/** Where POSTGRES_URL is set that server is used, and left as it is. */
export async function startPostgres() {
  if (process.env.POSTGRES_URL) return { url: process.env.POSTGRES_URL, stop: async () => {} };
  // Nothing is killed here, so nothing has to reach the disk.
  return startOwnPostgres({ fsync: 'off', full_page_writes: 'off' });
}

/**
 * A server that whoever starts it may also kill, stop and start again, on the same port and with the same data: SIGINT is its
 * fast shutdown, SIGQUIT its immediate one. It is as durable as PostgreSQL is by default, unless the settings say otherwise.
 */
export async function startOwnPostgres(settings = {}, { place, program = findPostgres() } = {}) {
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let isKilled = false;
  const server = startServer('sh', (folder) => becomeServer(program, folder, port, settings), {
    owner: ownerOfData(),
    place,
    // Unlike SIGKILL it ends what serves the connections as well, and gives shared memory back.
    endSignal: 'SIGQUIT',
  });
  const stop = async () => {
    if (isKilled) freeSharedMemory(server.folder);
    isKilled = false;
    await server.stop();
  };
  try {
    await answers(url, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    port,
    folder: server.folder,
    stop,
    async kill(signal) {
      await server.kill(signal);
      isKilled = signal === 'SIGKILL';
      if (isKilled) await isLeft(server.folder);
    },
    async restart() {
      server.restart();
      isKilled = false;
      await answers(url, server);
    },
  };
}

/** Arguments of a shell that makes the data folder where there is none yet, and then becomes the server. */
function becomeServer(program, folder, port, settings) {
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 200,
    // In the data folder, and gone with it after a kill.
    dynamic_shared_memory_type: 'mmap',
    ...settings,
  };
  const script = `
    cd "$1" || exit 1
    [ -s data/PG_VERSION ] ||
      "$2" -D data -U postgres -A trust -E UTF8 --no-locale --no-sync >server.log 2>&1 || exit 1
    server=$3
    shift 3
    exec "$server" -D data "$@" >>server.log 2>&1`;
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-c', script, 'sh', folder, join(dirname(program), 'initdb'), program, ...options];
}

/** Who the server runs as where we are root, as whom it refuses to run. */
export function ownerOfData() {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option, user) => {
    const { status, stdout } = spawnSync('id', [option, user], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  };
  const user = ['postgres', 'nobody'].find((user) => id('-u', user) !== undefined);
  return { uid: id('-u', user), gid: id('-g', user) };
}

/** Waits until a server has recovered and takes queries. */
async function answers(url, server, withinMs = 60_000) {
  const until = Date.now() + withinMs;
  let hasEnded = false;
  void server.ended.then(() => (hasEnded = true));
  while (!(await takesQueries(url))) {
    if (hasEnded || Date.now() > until)
      throw new Error(`postgres ${hasEnded ? 'ended' : 'did not answer'}, ${url}: ${logOf(server.folder)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function takesQueries(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function logOf(folder) {
  try {
    return readFileSync(join(folder, 'server.log'), 'utf8').slice(-2_000);
  } catch {
    return 'without a log';
  }
}

/** Waits until nothing of a killed server is left: what serves the connections notices its end some moments later. */
async function isLeft(folder, withinMs = 30_000) {
  const until = Date.now() + withinMs;
  while (processesIn(join(folder, 'data')).length > 0) {
    if (Date.now() > until) throw new Error(`processes of a killed postgres in ${folder} did not end`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Ids of the processes that work in a folder, on a machine that tells. */
export function processesIn(folder) {
  const worksThere = (pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  };
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && worksThere(name));
  } catch {
    return [];
  }
}

/** A killed server leaves a small segment behind, of which a machine has a limited number. */
function freeSharedMemory(folder) {
  const segment = sharedMemoryOf(folder);
  if (segment !== undefined) spawnSync('ipcrm', ['-m', segment]);
}

/** The id of the segment by which a server guards its data folder, while it runs or after it was killed. */
export function sharedMemoryOf(folder) {
  const file = join(folder, 'data', 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').split('\n')[6]?.trim().split(/\s+/)[1];
}
