import { checkKeys } from '../task/check-keys.js';
import { toMs, type Duration } from '../task/duration.js';
import { InvalidOptionError } from '../task/errors.js';

/** What `JobsHealth.check` takes. */
export interface HealthOptions {
  /**
   * How long the store, the runner and the lease thread may take to answer. All are asked at once; a probe of Kubernetes
   * waits for a second unless it is told otherwise.
   * @default '750ms'
   */
  timeout?: Duration;
  /**
   * How long a task may wait for its run after it was due: one bound for every queue of this process, or one per queue, which may
   * then be queues of other processes, too. Paused queues are left out.
   * @default no bound
   */
  oldestWaiting?: Duration | Readonly<Record<string, Duration>>;
  /**
   * How late the event loop may be.
   * @default '500ms'
   */
  eventLoopDelay?: Duration;
}

/** In milliseconds. */
export interface HealthBounds {
  readonly timeoutMs: number;
  readonly eventLoopDelayMs: number;
  /** Undefined: none. */
  readonly oldestWaitingMs: (queue: string) => number | undefined;
  /** Queues that are named. */
  readonly queues: readonly string[];
}

const where = 'JobsHealth.check';

export function resolveHealthOptions(options: HealthOptions = {}): HealthBounds {
  checkKeys(options, ['timeout', 'oldestWaiting', 'eventLoopDelay'], where);
  const { timeout = '750ms', oldestWaiting, eventLoopDelay = '500ms' } = options;
  const timeoutMs = toMs(timeout, { where, option: 'timeout' });
  if (timeoutMs === 0) throw new InvalidOptionError(where, 'timeout', timeout, 'more than 0');
  const eventLoopDelayMs = toMs(eventLoopDelay, { where, option: 'eventLoopDelay' });
  if (typeof oldestWaiting !== 'object') {
    const ms = oldestWaiting === undefined ? undefined : boundMs('oldestWaiting', oldestWaiting);
    return { timeoutMs, eventLoopDelayMs, oldestWaitingMs: () => ms, queues: [] };
  }
  const bounds = new Map(
    Object.entries(oldestWaiting ?? {}).map(([queue, bound]) => [
      queue,
      boundMs(`oldestWaiting.${queue}`, bound),
    ]),
  );
  return {
    timeoutMs,
    eventLoopDelayMs,
    oldestWaitingMs: (queue) => bounds.get(queue),
    queues: [...bounds.keys()],
  };
}

function boundMs(option: string, value: Duration): number {
  return toMs(value, { where, option });
}
