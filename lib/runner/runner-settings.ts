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
  /** Whether it fires the schedules of its queues. */
  readonly schedules: boolean;
  readonly autoStart: boolean;
}

export interface QueueSettings {
  readonly name: string;
  readonly concurrency: number;
}
