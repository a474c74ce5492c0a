import type { Durability } from '../backend/backend.js';
import type { RunnerState } from '../runner/job-runner.js';
import type { LeaseHealth } from '../runner/session-health.js';

/**
 * What can be wrong. `backend-unreachable`: the store gives no answer. `runner-starting`, `runner-draining`: it takes no tasks yet, or
 * no more. `runner-not-looking`: it should have looked at a queue and has not. `waiting-too-long`: a task is older than its bound.
 * `leases`: they are not renewed as they should be. `event-loop-late`: it does not come to its timers.
 */
export type HealthProblemCode =
  | 'backend-unreachable'
  | 'runner-starting'
  | 'runner-draining'
  | 'runner-not-looking'
  | 'waiting-too-long'
  | 'leases'
  | 'event-loop-late';

export interface HealthProblem {
  readonly code: HealthProblemCode;
  /** In a sentence. */
  readonly message: string;
  readonly queue?: string;
  /** What it speaks against: to be given traffic, to be left running, or neither. */
  readonly against: readonly ('readiness' | 'liveness')[];
}

export interface QueueHealth {
  readonly queue: string;
  /** Unknown where the store gave no answer. */
  readonly waiting?: number;
  /** How long the task that has been due longest has been waiting. */
  readonly oldestWaitingMs?: number;
  readonly isPaused?: boolean;
  /** How long ago this runner last heard what there is in it; undefined where it does not run it. */
  readonly lookedAgoMs?: number;
  /** Every slot that this runner has for it is taken. */
  readonly isFull?: boolean;
}

/** How a process is, by what it has just been asked. */
export interface HealthReport {
  /** Nothing is wrong. */
  readonly isHealthy: boolean;
  /** Nothing speaks against giving it work: the store answers, the runner is neither about to start nor about to end. */
  readonly isReady: boolean;
  /** Nothing speaks against leaving it running: what is wrong, another process would not do better. */
  readonly isAlive: boolean;
  readonly problems: readonly HealthProblem[];
  readonly backend: {
    readonly name: string;
    readonly isReachable: boolean;
    /** How long its answer took. */
    readonly answeredInMs?: number;
    /** What a crash of its server may cost; undefined where there is none. */
    readonly durability?: Durability;
  };
  readonly runner: {
    readonly state: RunnerState;
    /** Tasks that run now. */
    readonly running: number;
    /** Handlers that went on after their attempt had ended. */
    readonly abandoned: number;
  };
  readonly queues: readonly QueueHealth[];
  /** Undefined where no runner runs. */
  readonly leases?: LeaseHealth;
  readonly eventLoop: {
    /** How late a timer was that the check set. */
    readonly delayMs: number;
    /** Which part of the time since the last check it was busy, from 0 to 1. */
    readonly utilization: number;
  };
}
