import type { StoredError } from '../../task/outcome.js';
import type { MemoryTask } from './memory-task.js';

/** A run whose lease ended without an outcome: its runner may never tell of it. */
export interface LostRun {
  readonly task: MemoryTask;
  readonly outcome: 'lost' | 'dead' | 'cancelled';
  readonly error?: StoredError;
  readonly at: number;
}
