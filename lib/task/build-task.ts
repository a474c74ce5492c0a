import { spanMs } from './duration.js';
import { dueOf, type EnqueuePlan } from './enqueue-plan.js';
import type { NewTask, TaskLock } from './task-record.js';

/** A task whose lock, which may have to be asked for, and what travels with it are still to be written in. */
export type TaskInTheMaking = Omit<NewTask, 'lock' | 'extra'> & {
  lock: TaskLock | undefined;
  extra: string | undefined;
};

/** Puts together what the store gets: from here on a task is data. */
export function buildTask(
  job: string,
  params: string,
  plan: EnqueuePlan,
  token: string,
  nowMs: number,
  extra = plan.extra,
): TaskInTheMaking {
  return {
    queue: plan.queue,
    id: plan.id ?? token,
    token,
    job,
    params,
    extra,
    priority: plan.priority,
    due: dueOf(plan, nowMs),
    retries: plan.retries,
    expires: plan.expires,
    keepMs: plan.keep && spanMs(plan.keep, nowMs),
    replace: plan.replace,
    lock: undefined,
  };
}
