interface RedisCluster {
  readonly url: string;
  stop(): Promise<void>;
}

/** The cluster of a test run. */
export function startRedisCluster(): Promise<RedisCluster>;

/** One that a test may do anything to. */
export function startOwnRedisCluster(): Promise<RedisCluster>;
