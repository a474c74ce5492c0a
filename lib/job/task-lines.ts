import type { Redaction } from '../task/redact.js';
import type { TaskLines } from '../task/task.js';
import type { JobsLog } from './jobs-log.js';

/** Where the lines of one task go, without what is not to be seen of its params. */
export function linesOf(
  log: JobsLog,
  redaction: Redaction | undefined,
  stored: string,
  params: unknown,
): TaskLines {
  if (!redaction) return log;
  return { write: log.write.bind(log), mask: redaction.maskOf(stored, params) };
}
