interface RedisCluster {
  readonly url: string;
  stop(): Promise<void>;
}

interface OwnRedisCluster extends RedisCluster {
  /** In the order of the address; each may be killed and started again. */
  readonly nodes: readonly {
    readonly port: number;
    kill(signal: NodeJS.Signals): Promise<void>;
    restart(): Promise<void>;
  }[];
}

/** The cluster of a test run. */
export function startRedisCluster(): Promise<RedisCluster>;

/** One that a test may do anything to, which keeps nothing on disk unless the settings say so, and has replicas with `failoverMs` only. */
export function startOwnRedisCluster(
  settings?: readonly string[],
  options?: { readonly failoverMs?: number },
): Promise<OwnRedisCluster>;
