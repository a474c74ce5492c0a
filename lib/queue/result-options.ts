import { checkKeys } from '../task/check-keys.js';
import { toMs, type Duration } from '../task/duration.js';
import { InvalidOptionError } from '../task/errors.js';
import type { AwaitedRef } from './awaited-task.js';
import type { Enqueued } from './enqueued.js';
import { ResultMissingError } from './errors.js';

export interface ResultOptions {
  /**
   * How long to wait for the task to come to its end.
   * @default '30s'
   */
  readonly timeout?: Duration;
}

const where = 'JobQueue.result';

export function timeoutOf(options: ResultOptions = {}): number {
  checkKeys(options, ['timeout'], where);
  const { timeout = '30s' } = options;
  const timeoutMs = toMs(timeout, { where, option: 'timeout' });
  if (timeoutMs === 0) throw new InvalidOptionError(where, 'timeout', timeout, 'more than 0');
  return timeoutMs;
}

/** What a caller names a task by. An enqueue that stored no task has none to wait for. */
export function awaitedRef(ref: unknown): AwaitedRef {
  const { queue, id, status, holder } =
    typeof ref === 'string' ? ({ id: ref } as Partial<Enqueued>) : ((ref ?? {}) as Partial<Enqueued>);
  const isNamed =
    typeof id === 'string' && id !== '' && (typeof ref === 'string' || typeof queue === 'string');
  if (!isNamed)
    throw new InvalidOptionError(where, 'ref', ref, 'an id, { queue, id }, or what enqueue answered');
  if (status === 'vetoed')
    throw new ResultMissingError({ queue, id }, 'it was not enqueued, as a `beforeEnqueue` hook vetoed it');
  if (status === 'rejected')
    throw new ResultMissingError(
      { queue, id },
      'it was not enqueued, as it is not unique' +
        (holder === undefined ? '' : `; task ${holder} holds the lock`),
    );
  return { queue, id };
}
