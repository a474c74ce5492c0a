import type { TaskAction, TaskState } from '../../../lib/dashboard/api.js';

/** In the order of a task's life. */
export const states = [
  'waiting',
  'pending',
  'scheduled',
  'succeeded',
  'dead',
  'parked',
  'cancelled',
] as const;

export function hasEnded({ state }: { readonly state: TaskState }): boolean {
  return state === 'succeeded' || state === 'dead' || state === 'cancelled';
}

/** What each state means, for whoever points at it. */
export const stateMeanings: Record<TaskState, string> = {
  scheduled: 'It is due later: delayed, or about to be tried again.',
  waiting: 'It is due, and starts when a runner has a free slot.',
  pending: 'A runner runs it now.',
  succeeded: 'It is done, and kept for a while.',
  dead: 'Its last attempt failed. It stays until it is retried or removed, or its retention ends.',
  cancelled: 'Somebody, a conflict or its expiry ended it before it succeeded.',
  parked: 'No live code can read or run it: its job is unknown, or its params do not pass.',
};

export const actionWords: Record<TaskAction, { label: string; done: string; meaning: string }> = {
  retry: {
    label: 'Retry',
    done: 'to be retried',
    meaning: 'They start anew, with all their attempts.',
  },
  runNow: {
    label: 'Run now',
    done: 'made due now',
    meaning: 'They are due at once instead of at their time.',
  },
  cancel: {
    label: 'Cancel',
    done: 'cancelled',
    meaning: 'Those that run now are asked to stop; the others never start.',
  },
  remove: {
    label: 'Remove',
    done: 'removed',
    meaning: 'They are gone for good, with their params, errors and logs.',
  },
};
