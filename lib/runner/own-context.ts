import { AsyncResource } from 'node:async_hooks';
import { nextTurn } from '../task/turns.js';

// Made when the module is loaded: no request, and no task, is under way then.
const own = new AsyncResource('nestjs-jobs.runner');

/** In the runner's own asynchronous context: whoever rang, or ended, its context is not that of the tasks which begin then. */
export function inOwnContext<T>(act: () => T): T {
  return own.runInAsyncScope(act);
}

/** In the next turn of the event loop. */
export function soonInOwnContext(act: () => void): void {
  own.runInAsyncScope(nextTurn, undefined, act);
}
