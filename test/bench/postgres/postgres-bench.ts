import type { Bench } from '../side-by-side/bench.js';

/** With the server at hand, for what only it can do. */
export interface PostgresBench extends Bench {
  /** A transaction whose snapshot holds back all cleaning until it is ended. */
  holdSnapshot(): Promise<{ end(): Promise<void> }>;
}
