import type { TaskState } from '../../lib/task/task-record.js';
import { nameOf, type HistoryEvent, type StoredTask } from './history-event.js';

/** A task as far as the history has told by now. */
export interface SeenTask extends StoredTask {
  /** Where it stands. */
  now: TaskState | 'gone';
  /** Of the latest claim; 0: none yet. */
  epoch: number;
  /** Claims that were not given back. */
  attempt: number;
  /** Its latest claim met a lock. */
  isInConflict: boolean;
  /** A run may have begun. */
  hasStarted: boolean;
  /** A run has failed, which frees some locks. */
  hasFailed: boolean;
  /** The latest claim's lease has ended, or was taken back. */
  isLost: boolean;
}

const givesBack = new Set(['snoozed', 'conflict', 'handed-back', 'parked']);

/** Follows the tasks of a store that is watched. */
export class SeenTasks {
  private readonly byName = new Map<string, SeenTask>();

  get(ref: { queue: string; id: string }): SeenTask | undefined {
    return this.byName.get(nameOf(ref));
  }

  all(): Iterable<SeenTask> {
    return this.byName.values();
  }

  apply(event: HistoryEvent): void {
    if (event.type === 'stored') return this.store(event);
    const task = 'id' in event ? this.get(event) : undefined;
    if (!task) return;
    if (event.type === 'claimed') {
      task.now = 'pending';
      task.epoch = event.epoch;
      task.attempt++;
      task.isInConflict = event.conflictsWith !== undefined;
      task.hasStarted ||= !task.isInConflict;
      task.isLost = false;
    } else if (event.type === 'settled') {
      task.now = event.state;
      if (givesBack.has(event.outcome)) task.attempt--;
      task.hasFailed ||= event.outcome === 'retry';
    } else if (event.type === 'taken-back') {
      task.now = event.state;
      task.attempt--;
      task.isLost = true;
    } else if (event.type === 'lease-ended') {
      task.isLost = true;
      if (task.isInConflict) task.attempt--;
    } else if (event.type === 'moved') {
      task.now = event.state;
    }
  }

  private store(event: StoredTask): void {
    this.byName.set(nameOf(event), {
      ...event,
      now: event.state,
      epoch: 0,
      attempt: 0,
      isInConflict: false,
      hasStarted: false,
      hasFailed: false,
      isLost: false,
    });
  }
}

const live = new Set<string>(['scheduled', 'waiting', 'pending']);
const over = new Set<string>(['succeeded', 'dead', 'cancelled', 'gone']);

export function isLive(state: string): boolean {
  return live.has(state);
}

export function isOver(state: string): boolean {
  return over.has(state);
}
