import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { connectAtBoot, refusal } from './redis-refusal.js';
import { nameOf, type RedisNode, type RedisTarget } from './redis-target.js';

/** A server that has not answered by then is taken for gone, and its connection is made anew. */
export const deadlineMs = 5_000;
const longestReconnectPauseMs = 1_000;

export type RedisClient = Redis | Cluster;

const reconnectPauseMs = (tries: number) => Math.min(tries * 50, longestReconnectPauseMs);

/** What holds for every connection, whatever was asked for. */
const rules = {
  lazyConnect: true,
  // What was sent and not answered is repeated by us, knowingly, and never by the client.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  socketTimeout: deadlineMs,
  // The client's timer for this outlives a connection that is gone already; it must not hold up an exit.
  disconnectTimeout: 100,
  retryStrategy: reconnectPauseMs,
  // After a failover the old primary refuses writes: its successor is behind the same name.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

/**
 * Ends a client. Resolves when it has no socket any more, or was without one: whoever has closed an application must find
 * nothing open. What a cluster's client keeps for itself, to follow the cluster, ends a moment later.
 */
export async function cutOff(client: RedisClient): Promise<void> {
  const parts = client instanceof Cluster ? [client, ...client.nodes()] : [client];
  const ended = Promise.all(parts.map(endOf));
  client.disconnect();
  await ended;
}

function endOf(client: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    if (client.status === 'end') return resolve();
    // One that was about to connect again does not tell its end.
    const timer = setTimeout(resolve, 2 * rules.disconnectTimeout);
    client.once('end', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The client that sends commands: to one server, or to each node of a cluster by one connection. Not connected yet. */
export function makeClient({ nodes, options, clusterOptions }: RedisTarget): RedisClient {
  if (!nodes) return new Redis({ ...options, ...rules });
  return new Cluster([...nodes], {
    ...clusterOptions,
    redisOptions: { ...options, ...rules },
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    // A cluster that is down refuses commands, and we try again; waiting for it here would have no end.
    enableReadyCheck: false,
    scaleReads: 'master',
    shardedSubscribers: false,
    clusterRetryStrategy: reconnectPauseMs,
    clusterNodeRetryStrategy: reconnectPauseMs,
    slotsRefreshTimeout: 3_000,
    // A command whose connection closed may have been carried out: a second claim would be two.
    retryDelayOnFailover: 0,
    // In these the server has done nothing; a slot that is being moved stays so for longer than we would wait here.
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 50,
    maxRedirections: 5,
  });
}

/** A client that listens: to the server, or to one node of a cluster. Not connected yet. */
export function makeSubscriber({ options }: RedisTarget, node?: RedisNode): Redis {
  // At a node the listener itself subscribes again: the node may no longer be the one that has the channels.
  return new Redis({ ...options, ...node, ...rules, ...(node ? { autoResubscribe: false } : {}) });
}

/** The nodes of a cluster, the one that has the slot first. */
export function nodesBySlot(cluster: Cluster, slot: number): RedisNode[] {
  const nodes = cluster.nodes('master').map(({ options }) => ({ host: options.host!, port: options.port! }));
  const owner = cluster.slots[slot]?.[0];
  return nodes.sort((a, b) => Number(isNode(b, owner)) - Number(isNode(a, owner)));
}

function isNode({ host, port }: RedisNode, name: string | undefined): boolean {
  return `${host}:${port}` === name;
}

/** The first connection must succeed; later ones come back by themselves. */
export async function connect(client: RedisClient, target: RedisTarget): Promise<void> {
  if (!(client instanceof Cluster)) return connectAtBoot(client, nameOf(target));
  let trouble: Error | undefined;
  client.on('error', (error: Error & { lastNodeError?: Error }) => (trouble = error.lastNodeError ?? error));
  try {
    await client.connect();
  } catch (error) {
    throw refusal(nameOf(target), trouble ?? (error as Error));
  }
  await connectNodes(client);
}

/** Ahead of the first command: without an offline queue there is nothing to wait in. A node that is away may come later. */
async function connectNodes(cluster: Cluster): Promise<void> {
  cluster.on('+node', (node: Redis) => void connectNode(node));
  await Promise.all(cluster.nodes('master').map(connectNode));
}

async function connectNode(node: Redis): Promise<void> {
  if (node.status === 'wait' && !node.options.readOnly) await node.connect().catch(() => undefined);
}

/** The servers that hold tasks and can be asked. */
export function serversOf(client: RedisClient): Redis[] {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  return servers.filter(({ status }) => status === 'ready');
}
