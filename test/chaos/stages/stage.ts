import type { Probe } from '../machine-watch.js';

/** The stores that are put to the test. */
export const backendNames = ['redis', 'redis-cluster', 'postgres', 'pglite'] as const;
export type BackendName = (typeof backendNames)[number];

/** What stands for the address that a node of a cluster has for itself. */
export type NatMap = Readonly<Record<string, { readonly host: string; readonly port: number }>>;

/** Where a process finds its store: what `redisBackend` or `postgresBackend` takes. */
export type StoreAddress =
  | { readonly redis: { readonly url?: string; readonly options?: object; readonly natMap?: NatMap } }
  | { readonly postgres: { readonly url?: string; readonly pglite?: string } };

/** Servers of a round, or of several where no fault hurts them. */
export interface Stage {
  readonly backend: BackendName;
  /** Of the server, with the settings that matter. */
  readonly version: string;
  readonly address: StoreAddress;
  /** Where proxies can stand in between: each server's. */
  readonly ports?: readonly number[];
  /** How to see whether the machine lets it answer; none where it is in the processes. */
  readonly probe?: Probe;
  close(): Promise<void>;
}

/** The same store through other ports. Nodes of a cluster name each other by the ports that they know. */
export function throughPorts(address: StoreAddress, ports: ReadonlyMap<number, number>): StoreAddress {
  const moved = JSON.stringify(address).replace(/:(\d+)/g, (all, port) => {
    const to = ports.get(Number(port));
    return to === undefined ? all : `:${to}`;
  });
  const found = JSON.parse(moved) as StoreAddress;
  if (!('redis' in found) || !found.redis.url?.startsWith('redis+cluster:')) return found;
  const host = '127.0.0.1';
  const natMap = Object.fromEntries([...ports].map(([from, port]) => [`${host}:${from}`, { host, port }]));
  return { redis: { ...found.redis, natMap } };
}
