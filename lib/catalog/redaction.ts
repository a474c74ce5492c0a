import type { TaskRecord } from '../task/task-record.js';

/**
 * What of a task may be shown. All that the catalog answers of params, errors, results and lines has passed here, and so has
 * what a text is searched in.
 */
export interface CatalogRedaction {
  task(record: TaskRecord): TaskRecord;
  /** The params of the tasks of a schedule, as JSON text; `extra` is what travels with them. */
  params(job: string, text: string, extra: string | undefined): string;
  /** A line about a failure of a job. */
  line(job: string, text: string): string;
}
