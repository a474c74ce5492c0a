import type { TaskLock } from '../task/task-record.js';
import type { Task } from '../task/task.js';
import { lockOf } from '../task/unique-key.js';
import type { UniquePlan } from '../task/unique-options.js';
import type { EnqueuableJob } from './job-registry.js';

/**
 * The lock of a task that is to be stored. A promise only where the job has a method `uniqueBy`, for which an instance may have to be
 * made: `preview` is the task as it then sees it.
 */
export function lockFor(
  { definition, handler }: EnqueuableJob,
  unique: UniquePlan,
  params: unknown,
  preview: () => Task<never>,
): TaskLock | Promise<TaskLock> {
  const source = { job: definition.name, where: definition.where, params, type: definition.params };
  if (typeof handler?.shape.uniqueBy !== 'function') return lockOf(unique, source);
  return (async () => {
    const { instance } = await handler.open(preview());
    const value: unknown = await instance.uniqueBy?.(params as never);
    return lockOf(unique, { ...source, uniqueBy: { value } });
  })();
}
