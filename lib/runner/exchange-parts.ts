import type { Backend, ClaimedTask, RecoveredRun } from '../backend/backend.js';
import type { Clock } from '../task/clock.js';
import type { Outcome } from '../task/outcome.js';
import type { Attempt } from './attempt.js';
import type { Intake } from './intake.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { SilentQueues } from './silent-queues.js';
import type { Sweep } from './sweep.js';
import type { TaskLog } from './task-log.js';

export interface ExchangeParts {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly lines: TaskLog;
  readonly intake: Intake;
  readonly keeper: LeaseKeeper;
  readonly silent: SilentQueues;
  readonly sweep: Sweep;
  /** Begins what was claimed. */
  readonly begin: (tasks: readonly ClaimedTask[], leaseEndsAt: number) => void;
  /** A claim has found runs whose leases had ended. */
  readonly recovered: (runs: readonly RecoveredRun[]) => void;
  /** The store has answered for an outcome. */
  readonly settled: (attempt: Attempt, end: Outcome | 'lost') => void;
  readonly say: (level: 'warn' | 'error', message: string, error?: unknown) => void;
}

/** What a claim says of its runner. */
export interface ExchangeSettings {
  readonly name: string;
  readonly leaseMs: number;
  readonly declares: readonly string[];
}
