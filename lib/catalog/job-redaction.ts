import { maskResult } from '../task/redact-text.js';
import { storedRedaction, type Redaction } from '../task/redact.js';
import type { TaskRecord } from '../task/task-record.js';
import type { CatalogRedaction } from './redaction.js';

/**
 * Hides what jobs hide, by what this process knows of them and by what was stored with a task: a process that only shows
 * tasks knows no jobs, and a job that is gone leaves tasks behind.
 */
export function jobRedaction(redactionOf: (job: string) => Redaction | undefined): CatalogRedaction {
  return {
    task(record) {
      const redaction = storedRedaction(record.extra, redactionOf(record.job));
      return redaction ? masked(record, redaction) : record;
    },
    params: (job, text, extra) => storedRedaction(extra, redactionOf(job))?.maskParams(text) ?? text,
    // It was masked before it was stored, and what it would have to be masked by is not at hand.
    line: (_, text) => text,
  };
}

/** Errors and lines were masked when they were stored, unless that was before the job hid anything. */
function masked(record: TaskRecord, redaction: Redaction): TaskRecord {
  const mask = redaction.maskOf(record.params);
  const { errors, lines, progress, result } = record;
  return {
    ...record,
    params: redaction.maskParams(record.params),
    errors: errors.map((error) => ({
      ...error,
      message: mask(error.message),
      stack: error.stack === undefined ? undefined : mask(error.stack),
    })),
    lines: lines?.map(({ at, message }) => ({ at, message: mask(message) })),
    progress: progress?.note === undefined ? progress : { ...progress, note: mask(progress.note) },
    result: result === undefined ? undefined : maskResult(result, mask),
  };
}
