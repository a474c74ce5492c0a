import { lookup, resolveSrv } from 'node:dns';
import type { RedisNode, RedisTarget } from '../redis-target.js';

/** A target without what only this thread has: functions, sockets, instances. */
export interface CloneableTarget {
  readonly nodes: readonly RedisNode[] | undefined;
  readonly options: Record<string, unknown>;
  readonly clusterOptions: Record<string, unknown>;
}

/** What the thread says itself. */
const replaced = new Set([
  'retryStrategy',
  'reconnectOnError',
  'sentinelRetryStrategy',
  'sentinelReconnectStrategy',
  'clusterRetryStrategy',
  'clusterNodeRetryStrategy',
  'scaleReads',
  'redisOptions',
]);

/** ioredis writes its defaults into the options of a client. */
const defaults: readonly unknown[] = [lookup, resolveSrv];

/** The options as another thread can have them; throws, with the option's name, where it cannot. */
export function cloneableTarget({ nodes, options, clusterOptions = {} }: RedisTarget): CloneableTarget {
  return { nodes, options: cloned(options), clusterOptions: cloned(clusterOptions) };
}

function cloned(options: object): Record<string, unknown> {
  const given = Object.entries(options).filter(
    ([name, value]) => !replaced.has(name) && !defaults.includes(value),
  );
  return Object.fromEntries(
    given.map(([name, value]) => {
      try {
        return [name, structuredClone(value)];
      } catch {
        throw new Error(`the Redis option '${name}' cannot be handed to another thread`);
      }
    }),
  );
}
