import type { Progress, Ref, StateCounts } from './basics.js';

export interface Overview {
  readonly counts: StateCounts;
  readonly charts: Charts;
  readonly queues: readonly QueueRow[];
  readonly runners: readonly RunnerRow[];
  /** The worst first; empty where all is well. */
  readonly troubles: readonly Trouble[];
}

export interface Charts {
  /** The last 60 minutes. */
  readonly hour: Chart;
  /** The last 24 hours. */
  readonly day: Chart;
}

/** Runs that ended, per span, oldest first; the last span is not over yet. All lists are of one length. */
export interface Chart {
  /** The beginning of the first span. */
  readonly startsAt: number;
  readonly spanMs: number;
  readonly succeeded: readonly number[];
  /** Failed attempts, those after which a task was tried again included. */
  readonly failed: readonly number[];
  readonly dead: readonly number[];
}

export interface QueueRow {
  readonly name: string;
  readonly counts: StateCounts;
  readonly oldestWaitingMs?: number;
  readonly isPaused: boolean;
  /** Left out where it is not paused, or until it is resumed. */
  readonly pausedForMs?: number;
  /** The names of the live runners that serve it. */
  readonly runners: readonly string[];
  readonly charts: Charts;
}

export interface RunnerRow {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** Of nestjs-jobs. */
  readonly version: string;
  readonly queues: readonly { readonly name: string; readonly concurrency: number | null }[];
  /** Most tasks at once; null: no bound. */
  readonly concurrency: number | null;
  readonly running: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Some of what it runs now, longest running first. */
  readonly tasks: readonly RunningTask[];
}

export interface RunningTask extends Ref {
  readonly job: string;
  readonly runningMs: number;
  readonly attempt?: number;
  readonly progress?: Progress;
}

export interface Trouble {
  readonly code: TroubleCode;
  readonly level: 'error' | 'warning';
  readonly queue?: string;
  /** What is the case, in a sentence. */
  readonly message: string;
  /** What it means and what to do. */
  readonly advice: string;
}

export type TroubleCode =
  | 'no-runner'
  | 'waiting-too-long'
  | 'slots-overdue'
  | 'dying'
  | 'parked'
  | 'paused-with-work'
  | 'backend-unreachable'
  | 'backend-degraded'
  | 'process';
