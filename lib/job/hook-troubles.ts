import { storedError } from '../task/stored-error.js';
import { taskFields } from '../task/task-fields.js';
import type { Task } from '../task/task.js';
import type { JobsLog } from './jobs-log.js';

/** Says that a hook threw, without what its job hides. */
export function hookTroubles(log: JobsLog) {
  return (hook: string, task: Task<never>, error: unknown): void => {
    const stored = storedError(error, task.mask);
    const message = `task ${task.id}: ${hook} threw: ${stored.name}: ${stored.message}`;
    log.write('error', task.job, message, stored, taskFields(task));
  };
}
