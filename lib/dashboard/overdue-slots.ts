import type { JobCatalog } from '../catalog/job-catalog.js';

/** The slot of a queue that has been due longest, and that nobody has fired. */
export interface OverdueSlot {
  readonly queue: string;
  readonly job: string;
  readonly overdueMs: number;
}

/** Some that live code cannot fire are put off, and stand behind others that are not due yet. */
const lookedAt = 20;
const askedAtOnce = 25;

/** Slots are fired by runners: where there is none no task ever waits, and only the slots tell. At most one of each queue. */
export async function overdueSlots(
  catalog: Pick<JobCatalog, 'schedules' | 'now' | 'queueNames'>,
): Promise<OverdueSlot[]> {
  const [names, now] = await Promise.all([catalog.queueNames(), catalog.now()]);
  const found: OverdueSlot[] = [];
  for (let from = 0; from < names.length; from += askedAtOnce) {
    const some = names.slice(from, from + askedAtOnce);
    const ofEach = await Promise.all(some.map((queue) => latest(catalog, queue, now.getTime())));
    found.push(...ofEach.filter((slot) => slot !== undefined));
  }
  return found;
}

/** Paused schedules stand last and have no next slot: nobody is asked to leave them out. */
async function latest(
  catalog: Pick<JobCatalog, 'schedules'>,
  queue: string,
  now: number,
): Promise<OverdueSlot | undefined> {
  const { schedules } = await catalog.schedules({ queue }, { limit: lookedAt });
  const overdue = schedules
    .map(({ job, nextSlot }) => ({ queue, job, overdueMs: now - (nextSlot?.getTime() ?? Infinity) }))
    .sort((one, other) => other.overdueMs - one.overdueMs)[0];
  return overdue && overdue.overdueMs > 0 ? overdue : undefined;
}
