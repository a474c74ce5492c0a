import type { Backend } from '../backend/backend.js';
import type { QueueGlance } from '../backend/catalog-store.js';
import type { Clock } from '../task/clock.js';

export interface StoreAnswer {
  readonly answeredInMs?: number;
  readonly queues: ReadonlyMap<string, QueueGlance>;
  /** Why there is no answer. */
  readonly error?: Error;
}

const nothing: ReadonlyMap<string, QueueGlance> = new Map();

/** What there is in queues, asked now; a store that is silent for so long has not answered. */
export async function askStore(
  backend: Backend,
  clock: Clock,
  queues: readonly string[],
  withinMs: number,
): Promise<StoreAnswer> {
  const askedAt = clock.elapsed();
  let giveUp!: (error: Error) => void;
  const late = new Promise<never>((_, reject) => (giveUp = reject));
  const timer = clock.after(withinMs, () => giveUp(new Error(`no answer within ${withinMs} ms`)));
  try {
    const glances = await Promise.race([glance(backend, queues), late]);
    return {
      answeredInMs: Math.round(clock.elapsed() - askedAt),
      queues: new Map(glances.map((one) => [one.queue, one])),
    };
  } catch (error) {
    return { queues: nothing, error: error as Error };
  } finally {
    timer.cancel();
  }
}

/** A process without queues has a store, too. */
async function glance({ catalog }: Backend, queues: readonly string[]): Promise<QueueGlance[]> {
  if (queues.length > 0) return catalog.glance(queues);
  await catalog.queues();
  return [];
}
