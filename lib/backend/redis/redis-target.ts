import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import { InvalidOptionError } from '../../task/errors.js';

/** How to reach the tasks: one of `url`, `options` and `client`. */
export interface RedisBackendOptions {
  /** `redis://`, `rediss://` (TLS), or `redis+cluster://a:6379,b:6379` with some nodes of a cluster. */
  readonly url?: string;
  /** ioredis options: TLS, an ACL user, Sentinel … Beside a `url` they complete it. */
  readonly options?: RedisOptions;
  /** A client or cluster of the application: connections like it are made. It is neither used nor closed. */
  readonly client?: Redis | Cluster;
  /**
   * Whether a server that may evict keys, or that keeps nothing on disk, stops the boot instead of a warning.
   * @default false
   */
  readonly strict?: boolean;
}

/** Where the server is and how to connect, however it was said. */
export interface RedisTarget {
  /** Some nodes of a cluster; without them a single server, or what Sentinel names. */
  readonly nodes?: readonly RedisNode[];
  /** What every connection is made with. */
  readonly options: RedisOptions;
  /** What holds for the cluster as a whole. */
  readonly clusterOptions?: ClusterOptions;
}

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** Our replies keep one shape, whatever the application likes for its own. */
const ours: RedisOptions = {
  replyMapping: 'legacy',
  stringNumbers: false,
  enableAutoPipelining: false,
  autoResubscribe: true,
  readOnly: false,
};

export function redisTarget(given: RedisBackendOptions): RedisTarget {
  checkGiven(given);
  const target = given.client ? likeClient(given.client) : fromUrl(given.url, given.options ?? {});
  const keyPrefix = target.options.keyPrefix ?? target.clusterOptions?.keyPrefix;
  if (keyPrefix) refuse('keyPrefix', keyPrefix, 'left out: JobsModule.forRoot({ prefix }) names the keys');
  return { ...target, options: { ...target.options, ...ours } };
}

/** What logs call it: no user, no password. */
export function nameOf({ nodes, options }: RedisTarget): string {
  if (nodes) return `redis cluster at ${nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  if (options.sentinels?.length) return `redis '${options.name}' by sentinel`;
  return `redis at ${options.path ?? `${options.host ?? 'localhost'}:${options.port ?? 6379}`}`;
}

function checkGiven(given: RedisBackendOptions | undefined): asserts given is RedisBackendOptions {
  const known = ['url', 'options', 'client', 'strict'];
  for (const key of Object.keys(given ?? {}))
    if (!known.includes(key)) refuse(key, 'an unknown option', `one of ${known.join(', ')}`);
  const { url, options, client } = given ?? {};
  if (url === undefined && options === undefined && client === undefined)
    refuse('url', 'not given', "an address such as 'redis://localhost:6379', or options, or a client");
  if (url !== undefined && typeof url !== 'string') refuse('url', url, 'text');
  if (client !== undefined && (url !== undefined || options !== undefined))
    refuse('client', 'a client', 'given alone: it says itself where it connects');
  if (client !== undefined && typeof client?.duplicate !== 'function')
    refuse('client', 'something else', 'an ioredis client or cluster');
}

/** Of what may be a password, nothing is shown; the text before the last @ is taken as it is, whatever it holds. */
function fromUrl(url: string | undefined, options: RedisOptions): RedisTarget {
  if (url === undefined) return { options };
  const [, scheme = '', rest = ''] = /^([a-z+]+):\/\/(.*)$/i.exec(url) ?? [];
  const [, secure, cluster] = /^redis(s?)(\+cluster)?$/i.exec(scheme) ?? [];
  if (secure === undefined)
    refuse(
      'url',
      scheme ? `${scheme}://` : 'text without a scheme',
      'redis://, rediss:// or redis+cluster://',
    );
  const at = rest.lastIndexOf('@');
  const [, places = '', path = '', query = ''] = /^([^/?]*)\/?([^?]*)(.*)$/.exec(rest.slice(at + 1)) ?? [];
  if (query) refuse('url', query.split('=')[0], 'without settings behind a ?, which belong in options');
  const names = places.split(',');
  if (!cluster && names.length > 1) refuse('url', `${names.length} hosts`, 'one host, or redis+cluster://');
  if (cluster && path) refuse('url', `/${path}`, 'no database number: a cluster has one only');
  if (path && !/^\d+$/.test(path)) refuse('url', `/${path}`, 'a database number behind the host');
  const nodes = names.map((text) => nodeOf(text, names.length === 1));
  const fromText: RedisOptions = {
    ...(at >= 0 ? userOf(rest.slice(0, at)) : {}),
    ...(secure ? { tls: {} } : {}),
    ...(path ? { db: Number(path) } : {}),
  };
  if (cluster) return { nodes, options: { ...fromText, ...options } };
  return { options: { ...nodes[0], ...fromText, ...options } };
}

function userOf(text: string): RedisOptions {
  const [username = '', ...password] = text.split(':');
  return {
    ...(username ? { username: decoded(username) } : {}),
    ...(password.length > 0 ? { password: decoded(password.join(':')) } : {}),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('url', 'a user or password with a bare %', 'written with %25 for each %');
  }
}

function nodeOf(text: string, isAlone = true): RedisNode {
  const [, bracketed, plain, port = '6379'] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const isPort = Number(port) > 0 && Number(port) < 65_536;
  if (host === undefined || !isPort || (!host && !isAlone))
    refuse('url', 'something else where the host stands', 'a host, or host:port');
  return { host: host || 'localhost', port: Number(port) };
}

function likeClient(client: Redis | Cluster): RedisTarget {
  if (!client.isCluster) return { options: (client as Redis).options };
  // ioredis names them privately, and has no other way to tell.
  const { startupNodes, options } = client as unknown as {
    startupNodes: (RedisNode | string | number)[];
    options: ClusterOptions;
  };
  const nodes = startupNodes.map((node) => {
    if (typeof node === 'object') return { host: node.host ?? '127.0.0.1', port: Number(node.port ?? 6379) };
    return typeof node === 'number'
      ? { host: '127.0.0.1', port: node }
      : nodeOf(node.replace(/^rediss?:\/\//, ''));
  });
  return { nodes, options: options.redisOptions ?? {}, clusterOptions: options };
}

function refuse(option: string, value: unknown, expected: string): never {
  throw new InvalidOptionError('redisBackend', option, value, expected);
}
