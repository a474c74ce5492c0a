import type { Advance, ScheduleRecord } from '../backend/schedule-store.js';
import type { ProvidedJob } from '../job/job-registry.js';
import type { NewTask } from '../task/task-record.js';

/** A due schedule that this process can fire, with all that is to be done about it now. */
export interface Due {
  readonly schedule: ScheduleRecord;
  readonly job: ProvidedJob;
  readonly steps: readonly Step[];
}

/** A step with the task that it makes, if any. */
export interface Step extends Omit<Advance, 'task'> {
  readonly task: NewTask | undefined;
}
