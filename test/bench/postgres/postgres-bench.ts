import type { Bench } from '../side-by-side/bench.js';

/** With the server at hand, for what only it can do or tell. */
export interface PostgresBench extends Bench {
  /** A transaction whose snapshot holds back all cleaning until it is ended. */
  holdSnapshot(): Promise<{ end(): Promise<void> }>;
  /** Transactions in the database so far. */
  transactions(): Promise<number>;
  /** What the database takes of the disk. */
  bytes(): Promise<number>;
}
