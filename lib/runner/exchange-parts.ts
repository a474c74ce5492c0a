import type { Backend, ClaimedTask } from '../backend/backend.js';
import type { TaskEvents } from '../job/task-events.js';
import type { Clock } from '../task/clock.js';
import type { Intake } from './intake.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { SilentQueues } from './silent-queues.js';
import type { Sweep } from './sweep.js';
import type { TaskLog } from './task-log.js';

export interface ExchangeParts {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly lines: TaskLog;
  readonly events: TaskEvents;
  readonly intake: Intake;
  readonly keeper: LeaseKeeper;
  readonly silent: SilentQueues;
  readonly sweep: Sweep;
  /** Begins what was claimed. */
  readonly begin: (tasks: readonly ClaimedTask[], leaseEndsAt: number) => void;
  readonly say: (level: 'warn' | 'error', message: string, error?: unknown) => void;
}

/** What a claim says of its runner. */
export interface ExchangeSettings {
  readonly name: string;
  readonly leaseMs: number;
  readonly declares: readonly string[];
}
