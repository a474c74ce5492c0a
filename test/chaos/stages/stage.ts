import type { Probe } from '../machine-watch.js';

/** The stores that are put to the test. */
export const backendNames = ['redis', 'redis-cluster', 'postgres', 'pglite'] as const;
export type BackendName = (typeof backendNames)[number];

/** Where a process finds its store: what `redisBackend` or `postgresBackend` takes. */
export type StoreAddress =
  | { readonly redis: { readonly url?: string; readonly options?: object } }
  | { readonly postgres: { readonly url?: string; readonly pglite?: string } };

/** Servers of a round, or of several where no fault hurts them. */
export interface Stage {
  readonly backend: BackendName;
  /** Of the server, with the settings that matter. */
  readonly version: string;
  readonly address: StoreAddress;
  /** Where a proxy can stand in between. */
  readonly port?: number;
  /** How to see whether the machine lets it answer; none where it is in the processes. */
  readonly probe?: Probe;
  close(): Promise<void>;
}

/** The same store through another port. */
export function throughPort(address: StoreAddress, from: number, to: number): StoreAddress {
  return JSON.parse(JSON.stringify(address).replace(`:${from}`, `:${to}`)) as StoreAddress;
}
