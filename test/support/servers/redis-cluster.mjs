// A Redis (or Valkey) cluster of three primaries for a test run.
import { Redis } from 'ioredis';
import { findProgram, freePort, startServer } from './machine.mjs';
import { answers } from './redis.mjs';

const size = 3;
const slots = 16_384;
// A node that a test stops must not be taken for failed, nor stop the others.
const settings = [
  ...[
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '120000',
    '--cluster-require-full-coverage',
    'no',
  ],
];
const keepsNothing = ['--save', '', '--appendonly', 'no'];

/** Where REDIS_CLUSTER_URL is set that cluster is used, and left as it is. */
export async function startRedisCluster() {
  if (process.env.REDIS_CLUSTER_URL) return { url: process.env.REDIS_CLUSTER_URL, stop: async () => {} };
  return startOwnRedisCluster();
}

/**
 * One that a test may do anything to. Its nodes are in the order of the address. With `failoverMs` each has a replica, which
 * takes its place when it has been silent for so long.
 */
export async function startOwnRedisCluster(more = keepsNothing, { failoverMs } = {}) {
  const program = findProgram(['redis-server', 'valkey-server'], 'redis-server');
  const servers = [];
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    const nodes = await Promise.all(Array.from({ length: size }, () => startNode(program, servers, more)));
    await join(nodes);
    if (failoverMs !== undefined) await follow(nodes, failoverMs, () => startNode(program, servers, more));
    return { url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(program, servers, more) {
  const [port, busPort] = await Promise.all([freePort(), freePort()]);
  const server = startServer(program, (folder) => [
    ...['--port', String(port), '--cluster-port', String(busPort), '--bind', '127.0.0.1'],
    ...['--dir', folder, '--daemonize', 'no', ...settings, ...more],
  ]);
  servers.push(server);
  await answers(port);
  const restart = async () => {
    server.restart();
    await answers(port);
  };
  return { port, busPort, kill: server.kill, restart };
}

/** Gives each node its slots and makes them known to each other. */
async function join(nodes) {
  const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
  try {
    await Promise.all(
      clients.map(async (client, index) => {
        await client.cluster('SET-CONFIG-EPOCH', index + 1);
        const [from, to] = [index, index + 1].map((part) => Math.floor((part * slots) / size));
        await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to - 1);
      }),
    );
    // Only then: a node that knows another takes no epoch any more. Each meets each, since hearsay would take seconds.
    for (const [index, client] of clients.entries())
      for (const { port, busPort } of nodes.slice(0, index))
        await client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    await Promise.all(clients.map((client) => isWhole(client)));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

/** A replica for each node; only then does a silent one count as failed. */
async function follow(nodes, failoverMs, start) {
  const pairs = await Promise.all(nodes.map(async (node) => [node, await start()]));
  const clients = [...nodes, ...pairs.map(([, replica]) => replica)].map(
    ({ port }) => new Redis(port, '127.0.0.1'),
  );
  try {
    for (const [at, [node]] of pairs.entries()) {
      const replica = clients[size + at];
      for (const { port, busPort } of nodes)
        await replica.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
      const id = await clients[nodes.indexOf(node)].call('CLUSTER', 'MYID');
      await eventually(async () => (await replica.call('CLUSTER', 'REPLICATE', id)) === 'OK');
    }
    const isUp = async (replica) => /master_link_status:up/.test(await replica.info('replication'));
    await Promise.all(clients.slice(size).map((replica) => eventually(() => isUp(replica))));
    const all = `cluster_known_nodes:${2 * size}`;
    await Promise.all(
      clients.map((client) =>
        eventually(async () => String(await client.call('CLUSTER', 'INFO')).includes(all)),
      ),
    );
    for (const client of clients) await client.config('SET', 'cluster-node-timeout', String(failoverMs));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function eventually(isSo, withinMs = 30_000) {
  const until = Date.now() + withinMs;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > until) throw new Error(`the replicas did not follow within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until a node knows of all slots and takes commands. */
async function isWhole(node, withinMs = 30_000) {
  const until = Date.now() + withinMs;
  for (;;) {
    const info = String(await node.call('CLUSTER', 'INFO'));
    const isReady = [`cluster_known_nodes:${size}`, `cluster_slots_ok:${slots}`, 'cluster_state:ok'];
    if (isReady.every((line) => info.includes(line))) return;
    if (Date.now() > until) throw new Error(`the redis cluster was not whole within ${withinMs} ms: ${info}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
