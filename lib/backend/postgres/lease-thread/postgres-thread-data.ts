import type { ThreadData } from '../../lease-thread/thread-data.js';
import type { CloneableConfig } from './cloneable-config.js';

/** What the lease thread of PostgreSQL is started with. */
export interface PostgresThreadData extends ThreadData {
  /** Where `pg` is. */
  readonly pg: string;
  readonly config: CloneableConfig;
  /** What `pg_stat_activity` calls it. */
  readonly applicationName: string;
  /** Takes `{ leaseMs, leases: [[queue, id, epoch], …] }` as JSON, and answers a JSON text of one letter per lease. */
  readonly statement: string;
  /** The name of each queue, at the queue's number. */
  readonly queues: readonly string[];
}
