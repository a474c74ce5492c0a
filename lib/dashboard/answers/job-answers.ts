import type { JobInfo } from '../../catalog/job-list.js';
import type { JobRow } from '../api/jobs.js';
import { moment } from './moments.js';

export function jobRow(job: JobInfo): JobRow {
  const { name, queues, runs, meanRunMs, meanWaitMs, lastError, isProvided, isEnqueuable, schedules } = job;
  const { succeeded, failed, dead, cancelled, lost } = runs;
  return {
    name,
    queues,
    succeeded,
    failed,
    dead,
    cancelled,
    lost,
    meanRunMs,
    meanWaitMs,
    lastError,
    isProvided,
    isEnqueuable,
    lastRunAt: moment(job.lastRunAt),
    lastFailureAt: moment(job.lastFailureAt),
    schedules: schedules.count,
  };
}
