import { spanMs } from './duration.js';
import { dueOf, type EnqueuePlan } from './enqueue-plan.js';
import type { NewTask } from './task-record.js';

/** Puts together what the store gets: from here on a task is data. */
export function buildTask(
  job: string,
  params: string,
  plan: EnqueuePlan,
  token: string,
  nowMs: number,
): NewTask {
  return {
    queue: plan.queue,
    id: plan.id ?? token,
    token,
    job,
    params,
    extra: plan.extra,
    priority: plan.priority,
    due: dueOf(plan, nowMs),
    retries: plan.retries,
    expires: plan.expires,
    keepMs: plan.keep && spanMs(plan.keep, nowMs),
    replace: plan.replace,
  };
}
