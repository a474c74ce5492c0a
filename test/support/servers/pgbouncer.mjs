// PgBouncer in its transaction mode, in front of a PostgreSQL server: a connection has another session in every transaction.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { findOrInstall, freePort, install, startServer } from './machine.mjs';
import { ownerOfData } from './postgres.mjs';

const program = '/usr/sbin/pgbouncer';

export async function startPgbouncer(postgresUrl) {
  findOrInstall(() => existsSync(program) && program, 'pgbouncer', installPooler, 'pgbouncer');
  const { hostname, port: serverPort, username } = new URL(postgresUrl);
  const port = await freePort();
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    // Few, so that sessions change hands.
    'default_pool_size = 4',
    'max_client_conn = 200',
    'server_login_retry = 1',
  ].join('\n');
  const script =
    'cd "$1" && printf "%s\\n" "$2" >pgbouncer.ini && exec "$3" -q pgbouncer.ini >pgbouncer.log 2>&1';
  const pooler = startServer('sh', (folder) => ['-c', script, 'sh', folder, settings, program], {
    owner: ownerOfData(),
  });
  try {
    await listens(port, pooler);
  } catch (error) {
    await pooler.stop();
    throw error;
  }
  const url = Object.assign(new URL(postgresUrl), { host: `127.0.0.1:${port}` }).href;
  return { url, stop: () => pooler.stop() };
}

/** The program alone: a service of the package is not to stay. */
function installPooler() {
  install('pgbouncer');
  spawnSync('systemctl', ['disable', '--now', 'pgbouncer'], { stdio: 'ignore' });
}

async function listens(port, pooler, withinMs = 30_000) {
  const until = Date.now() + withinMs;
  let hasEnded = false;
  void pooler.ended.then(() => (hasEnded = true));
  const isOpen = () =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  while (!(await isOpen())) {
    if (hasEnded || Date.now() > until) throw new Error(`pgbouncer ${hasEnded ? 'ended' : 'did not answer'}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
