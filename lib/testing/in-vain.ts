import { TestJobsError } from './errors.js';
import { realNow, realTimer } from './real-time.js';

/** Looked at so often; a look that comes late counts for no more: then the machine was slow or the event loop busy. */
const lookMs = 20;
/** Who has no patience with handlers still gives himself the time to begin a drain. */
const leastMs = 1_000;

/** The result, or, once it was waited for longer than the patience while nobody let anything run, that this is in vain. */
export function orInVain<T>(
  result: Promise<T>,
  passage: { readonly isBusy: boolean },
  patienceMs: number,
  why: string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let waitedMs = 0;
    let seenAt = realNow();
    const look = () => {
      const now = realNow();
      waitedMs = passage.isBusy ? 0 : waitedMs + Math.min(now - seenAt, lookMs);
      seenAt = now;
      if (waitedMs >= Math.max(patienceMs, leastMs)) reject(new TestJobsError(why));
      else stop = realTimer(lookMs, look);
    };
    let stop = realTimer(lookMs, look);
    result.then(resolve, reject).finally(() => stop());
  });
}
