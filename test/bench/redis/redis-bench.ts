import type { Redis } from 'ioredis';
import type { Bench } from '../side-by-side/bench.js';

/** With the server at hand, for what only it can tell. */
export interface RedisBench extends Bench {
  readonly admin: Redis;
}
