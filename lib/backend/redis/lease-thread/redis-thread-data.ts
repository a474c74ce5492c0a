import type { ThreadData } from '../../lease-thread/thread-data.js';
import type { CloneableTarget } from './cloneable-target.js';

/** What the lease thread of Redis is started with. */
export interface RedisThreadData extends ThreadData {
  /** Where ioredis is. */
  readonly ioredis: string;
  readonly target: CloneableTarget;
  /** What `CLIENT LIST` calls it. */
  readonly connectionName: string;
  readonly script: { readonly sha: string; readonly source: string };
  /** The keys of each queue, at the queue's number. */
  readonly queues: readonly (readonly string[])[];
}
