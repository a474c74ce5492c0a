import type * as Ioredis from 'ioredis';
import type { RedisThreadData } from './redis-thread-data.js';

const longestReconnectPauseMs = 1_000;

/** The thread's own connection. It comes back by itself and keeps nothing for later: a renewal is of use now or never. */
export function threadClient(
  { Redis, Cluster }: typeof Ioredis,
  { target: { nodes, options, clusterOptions }, connectionName, answerMs }: RedisThreadData,
): Ioredis.Redis | Ioredis.Cluster {
  const own = {
    ...options,
    connectionName,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: answerMs,
    // After a failover the old primary refuses writes: its successor is behind the same name.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  const noQueue = { lazyConnect: false, enableOfflineQueue: false };
  if (!nodes) return new Redis({ ...own, ...noQueue, retryStrategy: reconnectPauseMs });
  return new Cluster([...nodes], {
    ...clusterOptions,
    ...noQueue,
    clusterRetryStrategy: reconnectPauseMs,
    redisOptions: own,
  });
}

function reconnectPauseMs(tries: number): number {
  return Math.min(tries * 50, longestReconnectPauseMs);
}
