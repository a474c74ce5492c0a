import type { TaskRef } from '../task/task-record.js';

/**
 * What runners have seen, and which are alive. Told from time to time and apart from the hot path: a process that is killed
 * takes along what it has not told yet, and a report that got no answer may count or not. Times are the store's.
 */
export interface StatsStore {
  /**
   * Adds what a runner has seen since its last report to the store's present minute and hour, and says that the runner lives.
   * Counts older than an hour by minutes, and older than a week by hours, are forgotten by and by. A run whose lease ended is
   * counted by the claim that finds it, as lost and with what the task ended in, if it did: no runner tells of it.
   */
  report(report: RunnerReport): Promise<void>;
  /** The runner has ended: it is no longer among `runners`. */
  leave(runner: string): Promise<void>;
  /** Those that have reported within their `aliveMs`. */
  runners(): Promise<LiveRunner[]>;
  /** Per job that has run in one of these queues: all that was ever reported of it. */
  jobs(queues: readonly string[]): Promise<JobFigures[]>;
  /** The last hour by minutes and the last week by hours, oldest first; spans in which nothing happened are left out. */
  throughput(queue: string): Promise<Throughput>;
  /**
   * How the latest slots of a schedule ended, the latest first, at most 20; of each, what was reported last. They go with the
   * schedule, and are not kept of one that is not there.
   */
  slots(schedule: TaskRef): Promise<SlotOutcome[]>;
}

/** How often each thing happened. */
export interface RunCounts {
  readonly succeeded: number;
  /** Attempts that failed, the last one of a task included. */
  readonly failed: number;
  /** Tasks that ended dead. */
  readonly dead: number;
  readonly cancelled: number;
  /** Runs that lost their lease. */
  readonly lost: number;
  /** Of runs that ended in success or failure, all together, in milliseconds. */
  readonly runMs: number;
  /** From due time to start, of the same runs. */
  readonly waitMs: number;
}

export interface RunnerReport {
  readonly runner: RunnerInfo;
  /** Without another report for so long it is taken for dead. */
  readonly aliveMs: number;
  /** What happened since the last report, per queue and job. */
  readonly runs: readonly RunsOfJob[];
  readonly slots: readonly (TaskRef & Omit<SlotOutcome, 'at'>)[];
}

export interface RunsOfJob extends RunCounts {
  readonly queue: string;
  readonly job: string;
  /** The latest failure among them, in a line. */
  readonly lastError?: string;
}

export interface RunnerInfo {
  /** Its name in the store: that of `TaskRecord.runner`. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** Of nestjs-jobs. */
  readonly version: string;
  readonly queues: readonly { readonly name: string; readonly concurrency: number }[];
  readonly concurrency: number;
  /** Tasks that it runs at the moment. */
  readonly running: number;
  /** Some of them, longest running first, at most 100. */
  readonly tasks: readonly (TaskRef & { readonly job: string; readonly runningMs: number })[];
}

export interface LiveRunner extends RunnerInfo {
  readonly startedAt: number;
  /** Its latest sign of life. */
  readonly seenAt: number;
}

export interface JobFigures extends RunsOfJob {
  /** When a run was last reported to have ended. */
  readonly lastRunAt?: number;
  readonly lastFailureAt?: number;
}

export interface Throughput {
  readonly minutes: readonly RunsInSpan[];
  readonly hours: readonly RunsInSpan[];
}

export interface RunsInSpan extends RunCounts {
  /** The beginning of the minute or hour. */
  readonly at: number;
}

export interface SlotOutcome {
  readonly slot: number;
  /** The task of the slot. */
  readonly task: string;
  readonly outcome: 'succeeded' | 'failed' | 'dead' | 'cancelled' | 'lost';
  /** When it was reported. */
  readonly at: number;
}
