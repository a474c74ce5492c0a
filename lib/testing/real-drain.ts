import { TestJobsError, type EndlessWorkError } from './errors.js';
import { nap } from './real-time.js';
import { RealWait } from './real-wait.js';
import type { TestStore } from './test-store.js';
import type { ResolvedTesting } from './testing-options.js';

/** In real time there is nothing to do but wait, for delays and handlers as long as they take; not for what nobody will run. */
export async function drainInRealTime(
  store: TestStore,
  { patienceMs, limit }: Pick<ResolvedTesting, 'patienceMs' | 'limit'>,
  endless: (why: string) => Promise<EndlessWorkError>,
): Promise<void> {
  const base = store.runs;
  const waited = new RealWait(patienceMs);
  let { progressAt } = store;
  for (;;) {
    const left = await queuesLeft(store);
    if (left.length === 0) return;
    if (store.isClosed)
      throw new TestJobsError('the application was closed while it was drained: await the drain first');
    if (store.runs - base > limit) throw await endless(`more than ${limit} runs`);
    if (store.progressAt !== progressAt || left.some(({ getsFurther }) => getsFurther)) waited.begin();
    else if (waited.isOver()) throw await endless('nothing gets any further');
    progressAt = store.progressAt;
    await nap();
  }
}

/** The queues with tasks that are still to run, and whether something is to come of one without anybody's doing. */
async function queuesLeft({ inner: { catalog } }: TestStore): Promise<{ getsFurther: boolean }[]> {
  const glances = await catalog.glance(await catalog.queues());
  return glances
    .filter(({ counts: { waiting, scheduled, pending } }) => waiting + scheduled + pending > 0)
    .map(({ counts, depth, pausedForMs }) => ({
      // A runner takes what is due at once, unless it is busy: what is left then is run by nobody.
      getsFurther: counts.pending > 0 || (pausedForMs === undefined ? depth === 0 : pausedForMs < Infinity),
    }));
}
