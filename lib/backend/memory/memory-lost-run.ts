import type { StoredError } from '../../task/outcome.js';
import type { RecoveredRun } from '../backend.js';
import type { MemoryTask } from './memory-task.js';

/** A run whose lease ended without an outcome: its runner may never tell of it. */
export interface LostRun {
  readonly task: MemoryTask;
  readonly outcome: 'lost' | 'dead' | 'cancelled';
  readonly error?: StoredError;
  readonly at: number;
}

export function leaseLost({ runner }: MemoryTask): StoredError {
  return { name: 'LeaseLostError', message: `runner ${runner} did not settle before its lease ended` };
}

/** The same as whoever claims is told of it. */
export function recoveredOf({ task, outcome, error, at }: LostRun): RecoveredRun {
  const { queue, id, job, scheduleId, slot } = task.given;
  const { lostEpoch: epoch, attempt, dueAt } = task;
  return {
    queue,
    id,
    epoch,
    job,
    attempt,
    dueAt,
    runner: task.runner!,
    at,
    outcome,
    error,
    scheduleId,
    slot,
  };
}
