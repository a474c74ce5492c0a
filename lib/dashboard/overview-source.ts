import type { JobCatalog } from '../catalog/job-catalog.js';
import type { JobsHealth } from '../health/jobs-health.js';
import type { Overview } from './api/overview.js';
import { overviewOf } from './answers/overview-answer.js';
import { troublesOf } from './answers/troubles.js';
import { overdueSlots } from './overdue-slots.js';
import type { ResolvedSettings } from './resolve-dashboard-options.js';
import { SharedLook } from './shared-look.js';

const mostPending = 500;

export type OverviewSource = SharedLook<Overview>;

/** The overview, shared by all who look. */
export function overviewSource(
  catalog: JobCatalog,
  health: JobsHealth,
  settings: ResolvedSettings,
): OverviewSource {
  return new SharedLook(async () => {
    const [queues, runners, pending, slots, report] = await Promise.all([
      catalog.queues(),
      catalog.runners(),
      catalog.tasks({ state: 'pending' }, { limit: mostPending }),
      overdueSlots(catalog),
      health.check({ timeout: '5s' }),
    ]);
    const { tasks, next } = pending;
    const troubles = troublesOf(queues, slots, report, settings);
    return overviewOf(queues, runners, { tasks, isAll: next === undefined }, troubles);
  });
}
