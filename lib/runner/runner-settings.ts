/** How a runner works: checked, complete, in milliseconds. */
export interface RunnerSettings {
  /** Undefined: those of the provided jobs. */
  readonly queues: readonly QueueSettings[] | undefined;
  readonly concurrency: number;
  readonly batch: number;
  readonly leaseMs: number;
  readonly pollIntervalMs: number;
  readonly shutdownTimeoutMs: number;
  readonly blockedLimitMs: number;
  readonly autoStart: boolean;
}

export interface QueueSettings {
  readonly name: string;
  readonly concurrency: number;
}
